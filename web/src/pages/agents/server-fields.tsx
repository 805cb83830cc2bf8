/** Which server or tool a step is about: those of the workspace are offered, others can be typed. */
import { Autocomplete } from '@mantine/core';
import { useAllServers } from '../../api/use-all.ts';
import { useWorkspace } from '../../app/signed-in.tsx';

export function ServerField({
  value,
  error,
  onChange,
}: {
  value: string;
  error: string | undefined;
  onChange: (server: string) => void;
}) {
  const { data: servers = [] } = useAllServers(useWorkspace().slug);
  return (
    <Autocomplete
      label="Server"
      required
      spellCheck={false}
      data={['platform', ...servers.map(({ name }) => name)]}
      value={value}
      error={error}
      onChange={onChange}
    />
  );
}

/** Tools that entries name. */
export function ToolField({
  value,
  error,
  onChange,
}: {
  value: string;
  error: string | undefined;
  onChange: (call: string) => void;
}) {
  const { data: servers = [] } = useAllServers(useWorkspace().slug);
  const named = servers.flatMap(({ name, manifest, listed_tools: listed }) => {
    const tools = new Set([...Object.keys(manifest.tool_scopes), ...listed]);
    return [...tools].map((tool) => `${name}.${tool}`);
  });
  return (
    <Autocomplete
      label="Tool"
      description="Its server and its name, with a dot between them."
      placeholder="files.write_file"
      required
      spellCheck={false}
      data={['platform.emit_status', 'platform.end_session', ...new Set(named)]}
      limit={40}
      value={value}
      error={error}
      onChange={onChange}
    />
  );
}
