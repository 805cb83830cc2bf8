import { expect, it } from '@jest/globals';
import { type WorkflowFunctions, workflowContracts } from '../../contract/workflows.ts';
import * as workflows from '../../workflows/index.ts';

it('every workflow runs under the name of its contract, and takes and returns what that says', () => {
  const asContracted: WorkflowFunctions = workflows;
  expect(Object.keys(asContracted).sort()).toEqual(workflowContracts.map(({ type }) => type).sort());
});
