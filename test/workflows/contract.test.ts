import { expect, it } from '@jest/globals';
import { type WorkflowFunctions, workflowContracts } from '../../contract/workflows.ts';
import * as workflows from '../../workflows/index.ts';

it('every workflow runs under the name of its contract, with its input and result', () => {
  const asContracted: WorkflowFunctions = workflows;
  expect(Object.keys(asContracted).sort()).toEqual(workflowContracts.map(({ type }) => type).sort());
});
