/** What the documented examples answer when they are run: a reader compares scores with their own. */
import { afterAll, beforeAll, beforeEach, expect, it } from '@jest/globals';
import { graphResolve } from '../../../api/platform-tools/graph-resolve.ts';
import { graphWrite } from '../../../api/platform-tools/graph-write.ts';
import type { PlatformTool, ToolCaller } from '../../../api/platform-tools/tool.ts';
import { vectorSearch } from '../../../api/platform-tools/vector-search.ts';
import { vectorUpsert } from '../../../api/platform-tools/vector-upsert.ts';
import { openTools, type TestTools } from '../../support/platform-tools.ts';

let tools: TestTools;
let caller: ToolCaller;
beforeAll(async () => {
  tools = await openTools();
});
beforeEach(async () => {
  caller = await tools.caller();
});
afterAll(() => tools.close());

const runExample = ({ name, example }: PlatformTool) => tools.ok(caller, name, example.input);
/** Of a record of the graph: what differs from run to run. */
const asWritten = { id: expect.any(String), updated_at: expect.any(String) };

it('graph_resolve finds what the example of graph_write wrote, with its score', async () => {
  await runExample(graphWrite);
  const { candidates } = graphResolve.example.output as { candidates: object[] };
  expect(await runExample(graphResolve)).toEqual({
    candidates: candidates.map((each) => ({ ...each, ...asWritten, updated_by_session: caller.id })),
    truncated: false,
  });
});

it('vector_search finds what the example of vector_upsert wrote, with its score', async () => {
  expect(await runExample(vectorUpsert)).toMatchObject({ dimensions: 512 });
  expect(await runExample(vectorSearch)).toEqual(vectorSearch.example.output);
});
