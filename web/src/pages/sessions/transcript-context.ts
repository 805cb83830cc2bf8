/** What the entries of a transcript need to know of their session. */
import { createContext, useContext } from 'react';
import type { Session } from '../../api/types.ts';

export interface TranscriptContext {
  sessionId: string;
  agentName: string;
  /** Null for a session that nobody drives. */
  operatorId: string | null;
  /** A person's name as far as the page knows it. */
  nameOf(userId: string): string;
  /** Likewise, of oneself as well: for what is drawn of a name. */
  personOf(userId: string): string;
  /** Another session of the tree, as far as the page knows it. */
  sessionOf(
    sessionId: string,
  ): Pick<Session, 'agent' | 'label' | 'title' | 'status' | 'waiting_for'> | undefined;
  /** Shows a permission request in the dialog. */
  openRequest(requestId: string): void;
}

export const transcriptContext = createContext<TranscriptContext | null>(null);

/** Throws outside of a transcript. */
export function useTranscript(): TranscriptContext {
  const context = useContext(transcriptContext);
  if (context === null) {
    throw new Error('useTranscript is for the entries of a transcript');
  }
  return context;
}
