/** What an operator finds and reads in the Temporal UI. */
import { defineSearchAttributeKey } from '@temporalio/common';
import { setCurrentDetails, upsertSearchAttributes } from '@temporalio/workflow';
import { searchAttributes } from '../contract/workflows.ts';

const workspaceKey = defineSearchAttributeKey(searchAttributes.workspace, 'KEYWORD');
const sessionKey = defineSearchAttributeKey(searchAttributes.session, 'KEYWORD');
const subjectKey = defineSearchAttributeKey(searchAttributes.subject, 'KEYWORD');
const statusKey = defineSearchAttributeKey(searchAttributes.status, 'KEYWORD');

/** What a workflow is about. */
export interface Owner {
  workspaceId: string;
  sessionId?: string | null;
  /** Null in a namespace that does not know this attribute. */
  subject?: string | null | undefined;
  searchAttributesKnown: boolean;
}

/**
 * Sets the workflow's owner. Skipped in a namespace that does not know the attributes:
 * it would refuse the task.
 */
export function showOwner({ workspaceId, sessionId, subject, searchAttributesKnown }: Owner): void {
  if (searchAttributesKnown) {
    upsertSearchAttributes([
      { key: workspaceKey, value: workspaceId },
      ...(sessionId == null ? [] : [{ key: sessionKey, value: sessionId }]),
      ...(subject == null ? [] : [{ key: subjectKey, value: subject }]),
    ]);
  }
}

/** The workflow's progress, as a status to filter by and as a sentence to read. */
export function showProgress(status: string, sentence: string, searchAttributesKnown: boolean): void {
  setCurrentDetails(`**${status}**: ${sentence}`);
  if (searchAttributesKnown) {
    upsertSearchAttributes([{ key: statusKey, value: status }]);
  }
}
