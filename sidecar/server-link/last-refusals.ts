/** The last refused call for each scope, so that a request for the scope can say what it is for. */
import type { ReportedCall } from '../../contract/permission-request.ts';
import { keepNewest } from '../../lib/limits/keep-newest.ts';

export interface LastRefusals {
  remember(scope: string, call: ReportedCall): void;
  /** What was remembered last, in this sidecar; null when nothing was. */
  lastFor(scope: string): ReportedCall | null;
}

/** 16 KiB each at most; the scopes of a session are as many as its frozen configuration names. */
const maxWithArguments = 64;

/** In memory only. Server and tool are kept for each scope, arguments for those that were refused last. */
export function createLastRefusals(): LastRefusals {
  const byScope = new Map<string, Pick<ReportedCall, 'server' | 'tool'>>();
  /** The scope that was refused last comes last. */
  const argumentsByScope = new Map<string, Omit<ReportedCall, 'server' | 'tool'>>();
  return {
    remember(scope, { server, tool, ...itsArguments }) {
      byScope.set(scope, { server, tool });
      argumentsByScope.delete(scope);
      argumentsByScope.set(scope, itsArguments);
      keepNewest(argumentsByScope, maxWithArguments);
    },
    lastFor(scope) {
      const call = byScope.get(scope);
      return call === undefined ? null : { ...call, ...argumentsByScope.get(scope) };
    },
  };
}
