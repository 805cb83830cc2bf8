/** The two questions about the agent's requests to its language model. Each is idempotent by the request's id. */
import * as z from 'zod';
import {
  type ModelRequestAnswer,
  type ModelUsageReport,
  modelRequestAnswer,
  type modelRequestInput,
} from '../../contract/model-access.ts';
import { type PlatformAddress, requestPlatform } from './request.ts';

/** As the functions of `PlatformApi` throw. */
export interface ModelRequestApi {
  /** May this request be sent, now? */
  askForModelRequest(id: string, input: z.infer<typeof modelRequestInput>): Promise<ModelRequestAnswer>;
  reportModelUsage(id: string, usage: ModelUsageReport): Promise<void>;
}

const limits = { method: 'PUT', timeLimitMs: 10_000, attemptLimitMs: 3_000 } as const;

export const modelRequests = (address: PlatformAddress): ModelRequestApi => ({
  askForModelRequest: (id, body) =>
    requestPlatform(
      address,
      { ...limits, path: `model-requests/${id}`, body, limitIsAnswer: true },
      modelRequestAnswer,
    ),
  async reportModelUsage(id, body) {
    await requestPlatform(address, { ...limits, path: `model-requests/${id}/usage`, body }, z.null());
  },
});
