import { servicePreviewSummary, serviceSignals } from '../../contract/workflows.ts';
import type { ApiDependencies } from '../dependencies.ts';
import type { WorkflowClient } from '../workflow-client.ts';

type With<Call extends keyof WorkflowClient> = Pick<ApiDependencies, 'log'> & {
  workflows: Pick<WorkflowClient, Call>;
};

/** Has the service of a stored preview started; a worker does it later when Temporal is unavailable now. */
export async function beginService(
  { workflows, log }: With<'startServicePreview'>,
  previewId: string,
): Promise<void> {
  await workflows
    .startServicePreview(previewId, servicePreviewSummary)
    .catch((err: unknown) => log.warn({ err, preview_id: previewId }, 'the service starts later'));
}

/** Has the service of a preview that was ended stopped; its workflow notices later when Temporal is unavailable now. */
export async function tellService(
  { workflows, log }: With<'signalServicePreview'>,
  previewId: string,
): Promise<void> {
  await workflows
    .signalServicePreview(previewId, serviceSignals.serviceChanged)
    .catch((err: unknown) => log.warn({ err, preview_id: previewId }, 'the service stops later'));
}
