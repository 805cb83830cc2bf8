import { servicePreviewSummary, serviceSignals } from '../../contract/workflows.ts';
import type { ApiDependencies } from '../dependencies.ts';
import { followUp } from '../follow-up.ts';
import type { WorkflowClient } from '../workflow-client.ts';

type With<Call extends keyof WorkflowClient> = Pick<ApiDependencies, 'log'> & {
  workflows: Pick<WorkflowClient, Call>;
};

/** Has the service of a stored preview started; a worker does it later when Temporal is unavailable now. */
export async function beginService(
  { workflows, log }: With<'startServicePreview'>,
  previewId: string,
): Promise<void> {
  await followUp(log, workflows.startServicePreview(previewId, servicePreviewSummary), {
    message: 'the service starts later',
    preview_id: previewId,
  });
}

/**
 * Has the service of a preview that was ended stopped; its workflow notices later when
 * Temporal is unavailable now.
 */
export async function tellService(
  { workflows, log }: With<'signalServicePreview'>,
  previewId: string,
): Promise<void> {
  await followUp(log, workflows.signalServicePreview(previewId, serviceSignals.serviceChanged), {
    message: 'the service stops later',
    preview_id: previewId,
  });
}
