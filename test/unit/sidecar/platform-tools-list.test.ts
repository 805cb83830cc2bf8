/**
 * The list of the API's tools: asked for once, waited for within a limit, and asked
 * for again after a failure.
 */
import { describe, expect, it } from '@jest/globals';
import { pino } from 'pino';
import { adds, type ListedPlatformTool } from '../../../contract/platform-tools.ts';
import { PlatformUnreachable } from '../../../sidecar/platform-api/request.ts';
import { createRelayedTools } from '../../../sidecar/platform-tools/platform-server.ts';

const logger = pino({ level: 'silent' });
const tool: ListedPlatformTool = {
  ...{ name: 'graph_write', title: 'Write', description: 'Writes', annotations: adds },
  input_schema: { type: 'object' },
  output_schema: { type: 'object' },
};

interface Asked {
  resolve(tools: readonly ListedPlatformTool[]): void;
  reject(error: Error): void;
}

/** An API whose answers are given one after the other. */
function standIn() {
  const asked: Asked[] = [];
  return {
    asked,
    listTools: () =>
      new Promise<readonly ListedPlatformTool[]>((resolve, reject) => {
        asked.push({ resolve, reject });
      }),
  };
}

describe('the list of the tools that the API runs', () => {
  it('is asked for once, also by connections that come at the same time, and kept', async () => {
    const api = standIn();
    const tools = createRelayedTools(api, logger);
    const lists = [tools.list(), tools.list()];
    api.asked[0]?.resolve([tool]);
    expect(await Promise.all(lists)).toEqual([[tool], [tool]]);
    expect(await tools.list()).toEqual([tool]);
    expect(api.asked).toHaveLength(1);
  });

  it('is empty for a connection that waited long enough, and there for the next', async () => {
    const api = standIn();
    const tools = createRelayedTools(api, logger, { waitMs: 20 });
    expect(await tools.list()).toEqual([]);
    api.asked[0]?.resolve([tool]);
    expect(await tools.list()).toEqual([tool]);
    expect(api.asked).toHaveLength(1);
  });

  it('is empty while the platform cannot be reached, and asked for by the next connection', async () => {
    const api = standIn();
    const tools = createRelayedTools(api, logger);
    const list = tools.list();
    api.asked[0]?.reject(new PlatformUnreachable('the platform could not be reached in time'));
    expect(await list).toEqual([]);
    const next = tools.list();
    api.asked[1]?.resolve([tool]);
    expect(await next).toEqual([tool]);
  });
});
