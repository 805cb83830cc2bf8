import { Modal } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { api, call } from '../../../api/client.ts';
import { keys } from '../../../api/keys.ts';
import type { McpCheck } from '../../../api/types.ts';
import { useWorkspace } from '../../../app/signed-in.tsx';
import { readOnRequest, WrittenOutput } from '../../../components/written-output.tsx';

/** What the server of a check wrote to stderr. Each reading is audited. */
export function CheckOutput({ check, onClose }: { check: McpCheck | null; onClose: () => void }) {
  const title = `Output of ${check?.mcp_server.name ?? ''}`;
  return (
    <Modal opened={check !== null} onClose={onClose} size="xl" title={title}>
      {check === null ? null : <Output check={check} />}
    </Modal>
  );
}

function Output({ check: { id, mcp_server } }: { check: McpCheck }) {
  const { slug } = useWorkspace();
  const { name } = mcp_server;
  const output = useQuery({
    queryKey: keys.mcpChecks(slug, name, id, 'output'),
    queryFn({ signal }) {
      const params = { path: { slug, name, check_id: id } };
      const path = '/api/workspaces/{slug}/mcp-servers/{name}/checks/{check_id}/output';
      return call(api.GET(path, { params, signal }));
    },
    ...readOnRequest,
  });
  return <WrittenOutput name={name} query={output} />;
}
