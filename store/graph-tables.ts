/** As `tables.ts`: the tables of the workspaces' graphs. */

declare module 'knex/types/tables.js' {
  interface Tables {
    graphs: {
      workspace_id: string;
      nodes: number;
      edges: number;
    };
    graph_nodes: {
      workspace_id: string;
      id: string;
      type: string;
      key: string;
      properties: unknown;
      folded_key: string;
      folded_name: string | null;
      created_at: string;
      updated_at: string;
      created_by_session: string;
      updated_by_session: string;
    };
    graph_edges: {
      workspace_id: string;
      id: string;
      from_id: string;
      relation: string;
      to_id: string;
      properties: unknown;
      created_at: string;
      updated_at: string;
      created_by_session: string;
      updated_by_session: string;
    };
  }
}

export {};
