/** What an operator finds and reads in the Temporal UI. */
import { defineSearchAttributeKey } from '@temporalio/common';
import { setCurrentDetails, upsertSearchAttributes } from '@temporalio/workflow';
import { searchAttributes } from '../contract/workflows.ts';

const workspaceKey = defineSearchAttributeKey(searchAttributes.workspace, 'KEYWORD');
const sessionKey = defineSearchAttributeKey(searchAttributes.session, 'KEYWORD');
const statusKey = defineSearchAttributeKey(searchAttributes.status, 'KEYWORD');

/** Sets the workflow's owner. Skipped in a namespace that does not know the attributes: it would refuse the task. */
export function showOwner(owner: {
  workspaceId: string;
  sessionId: string;
  searchAttributesKnown: boolean;
}): void {
  if (owner.searchAttributesKnown) {
    upsertSearchAttributes([
      { key: workspaceKey, value: owner.workspaceId },
      { key: sessionKey, value: owner.sessionId },
    ]);
  }
}

/** The same for a workflow of a workspace that belongs to no session. */
export function showWorkspace(owner: { workspaceId: string; searchAttributesKnown: boolean }): void {
  if (owner.searchAttributesKnown) {
    upsertSearchAttributes([{ key: workspaceKey, value: owner.workspaceId }]);
  }
}

/** The workflow's progress, as a status to filter by and as a sentence to read. */
export function showProgress(status: string, sentence: string, searchAttributesKnown: boolean): void {
  setCurrentDetails(`**${status}**: ${sentence}`);
  if (searchAttributesKnown) {
    upsertSearchAttributes([{ key: statusKey, value: status }]);
  }
}
