/** Every tool that the API runs for agents, in the order in which they are listed. */
import { expectQuietFor } from './expect-quiet-for.ts';
import { graphDiscover } from './graph-discover.ts';
import { graphQuery } from './graph-query.ts';
import { graphRelate } from './graph-relate.ts';
import { graphResolve } from './graph-resolve.ts';
import { graphWrite } from './graph-write.ts';
import { injectMessage } from './inject-message.ts';
import { listCollectionsTool } from './list-collections.ts';
import { listSpawnableAgents } from './list-spawnable-agents.ts';
import { messageCaller } from './message-caller.ts';
import { postMessage } from './post-message.ts';
import { previewDeploy } from './preview-deploy.ts';
import { readChildOutput } from './read-child-output.ts';
import { spawnSession } from './spawn-session.ts';
import type { PlatformTool } from './tool.ts';
import { vectorDelete } from './vector-delete.ts';
import { vectorSearch } from './vector-search.ts';
import { vectorUpsert } from './vector-upsert.ts';

export const platformTools: readonly PlatformTool[] = [
  graphDiscover,
  graphResolve,
  graphQuery,
  graphWrite,
  graphRelate,
  postMessage,
  previewDeploy,
  listSpawnableAgents,
  spawnSession,
  readChildOutput,
  injectMessage,
  messageCaller,
  expectQuietFor,
  listCollectionsTool,
  vectorSearch,
  vectorUpsert,
  vectorDelete,
];
