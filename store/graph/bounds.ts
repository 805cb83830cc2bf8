/** How much of a graph one answer holds. SQL measures it, so that what is left out takes no memory here. */

export interface GraphBounds {
  /** Of nodes, and of edges. */
  limit: number;
  /** Of the nodes of an answer as JSON; one node is always in it. */
  nodeBytes: number;
  edgeBytes: number;
}

/** Beside properties, type and key: ids, times and the names of members. */
const fixedBytes = 240;

export const nodeBytesOf = (node: string) =>
  `octet_length(cast(${node}.properties as text)) + octet_length(${node}.type) + octet_length(${node}.key) + ${fixedBytes}`;
export const edgeBytesOf = (edge: string) =>
  `octet_length(cast(${edge}.properties as text)) + octet_length(${edge}.relation) + ${fixedBytes}`;

const time = (column: string) => `to_char(${column} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`;

/** Expressions for nodes and edges as `contract/graph.ts` has them. */
export const nodeJson = (node: string) =>
  `json_build_object('id', ${node}.id, 'type', ${node}.type, 'key', ${node}.key, 'properties', ${node}.properties,
    'updated_at', ${time(`${node}.updated_at`)}, 'updated_by_session', ${node}.updated_by_session)`;
export const edgeJson = (edge: string) =>
  `json_build_object('id', ${edge}.id, 'from', ${edge}.from_id, 'relation', ${edge}.relation, 'to', ${edge}.to_id,
    'properties', ${edge}.properties, 'updated_at', ${time(`${edge}.updated_at`)}, 'updated_by_session', ${edge}.updated_by_session)`;
