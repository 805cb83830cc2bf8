import { expect, it } from '@jest/globals';
import {
  toolConnections,
  workspaceConnections,
  workspaceToolCalls,
  workspaceToolConnections,
} from '../../../config/tool-connections.ts';
import { testConfig } from '../../support/api.ts';

it.each([
  { pool: undefined, limit: undefined, connections: 4, calls: 3 },
  { pool: '16', limit: '100', connections: 4, calls: 3 },
  { pool: '16', limit: '2', connections: 4, calls: 2 },
  { pool: '200', limit: '20', connections: 50, calls: 20 },
  { pool: '2', limit: '20', connections: 1, calls: 1 },
])('a workspace leaves connections of tools to others: %j', ({ pool, limit, connections, calls }) => {
  const config = testConfig({
    ...(pool === undefined ? {} : { DATABASE_POOL: pool }),
    ...(limit === undefined ? {} : { LIMIT_WORKSPACE_CONCURRENT_TOOL_CALLS: limit }),
  });
  expect({ connections: toolConnections(config.DATABASE_POOL), calls: workspaceToolCalls(config) }).toEqual({
    connections,
    calls,
  });
  expect(workspaceToolConnections(config)).toBe(Math.max(1, connections - 1));
});

it.each([
  { pool: '16', usual: 8, stopping: 3 },
  { pool: '200', usual: 100, stopping: 37 },
  { pool: '6', usual: 2, stopping: 1 },
  { pool: '2', usual: 1, stopping: 1 },
])('a workspace leaves connections to others: %j', ({ pool, ...shares }) => {
  expect(workspaceConnections(testConfig({ DATABASE_POOL: pool }))).toEqual(shares);
});
