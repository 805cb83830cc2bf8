/**
 * An activity serves only the workflow whose id is derived from what it works on. Write access to Temporal alone is not enough
 * to start a second workflow of another name for a session, a request or a grant that has its own.
 */
import { ApplicationFailure, activityInfo } from '@temporalio/activity';

/** Throws `foreign_workflow`, which no retry changes, unless the workflow with this id asks. */
export function requireWorkflow(workflowId: string): void {
  if (activityInfo().workflowExecution?.workflowId !== workflowId) {
    throw ApplicationFailure.nonRetryable(`This is for the workflow ${workflowId} only`, 'foreign_workflow');
  }
}
