/**
 * An activity works for the one workflow whose id is made from what it works on. Whoever may only write to Temporal cannot
 * start a second workflow of another name over a session, a request or a grant that has its own (design 2).
 */
import { ApplicationFailure, activityInfo } from '@temporalio/activity';

/** Throws `foreign_workflow`, which no retry changes, unless the workflow with this id asks. */
export function requireWorkflow(workflowId: string): void {
  if (activityInfo().workflowExecution?.workflowId !== workflowId) {
    throw ApplicationFailure.nonRetryable(`This is for the workflow ${workflowId} only`, 'foreign_workflow');
  }
}
