/** Every tool that the API runs for agents, in the order in which they are listed. */
import { graphDiscover } from './graph-discover.ts';
import { graphQuery } from './graph-query.ts';
import { graphRelate } from './graph-relate.ts';
import { graphResolve } from './graph-resolve.ts';
import { graphWrite } from './graph-write.ts';
import { listCollectionsTool } from './list-collections.ts';
import { postMessage } from './post-message.ts';
import { previewDeploy } from './preview-deploy.ts';
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
  listCollectionsTool,
  vectorSearch,
  vectorUpsert,
  vectorDelete,
];
