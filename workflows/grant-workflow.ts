/** A grant that no request led to. */
import { setCurrentDetails } from '@temporalio/workflow';
import type { GrantWorkflowInput } from '../contract/workflows.ts';
import { unwrapRefusal } from './refusals.ts';
import * as steps from './steps.ts';
import { showOwner, showProgress } from './visibility.ts';

/** Has the approval verified and the grant written; returns the grant's id. */
export async function grantWorkflow({ decisionId }: GrantWorkflowInput): Promise<string> {
  setCurrentDetails("Carrying out a human's approval");
  const { grantId, owner } = await steps.carryOutDecision({ decisionId }).catch((error: unknown) => {
    throw unwrapRefusal(error);
  });
  if (owner !== undefined) {
    showOwner(owner);
    showProgress('written', `Grant ${grantId} is written`, owner.searchAttributesKnown);
  }
  return grantId ?? '';
}
