/**
 * An activity serves only the workflow whose id is derived from what it works on. Write access to
 * Temporal alone is not enough to start a second workflow of another name for a session, a request or
 * a grant that has its own.
 */
import { ApplicationFailure, activityInfo } from '@temporalio/activity';
import { type DueRun, dueRunOf, scheduledRunActionId } from '../contract/workflows.ts';

/** Throws `foreign_workflow`, which no retry changes, unless the workflow with this id asks. */
export function requireWorkflow(workflowId: string): void {
  if (activityInfo().workflowExecution?.workflowId !== workflowId) {
    throw ApplicationFailure.nonRetryable(`This is for the workflow ${workflowId} only`, 'foreign_workflow');
  }
}

/**
 * Which time of the schedule the workflow that asks is for. Throws `foreign_workflow` when it is for
 * no run of this schedule.
 */
export function requireDueRun(scheduleId: string): DueRun {
  const due = dueRunOf(activityInfo().workflowExecution?.workflowId ?? '');
  if (due?.scheduleId !== scheduleId) {
    const owner = scheduledRunActionId(scheduleId);
    throw ApplicationFailure.nonRetryable(`This is for the workflows ${owner}-… only`, 'foreign_workflow');
  }
  return due;
}
