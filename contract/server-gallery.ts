/**
 * MCP servers that a new workspace can begin with: real packages, each in one version that was looked at,
 * with the gates that its tools need. What is added is an entry like any other. Pure.
 */
import { type McpServerInput, mcpServerInput } from './catalog.ts';
import { isPinned, readPackageRequest } from './package-request.ts';

export interface GalleryServer {
  /** What it does, as one sentence. */
  about: string;
  registry: 'npm' | 'PyPI';
  package: string;
  version: string;
  /** As the package says. */
  licence: string;
  /** The tools that this version lists. */
  tools: readonly string[];
  input: McpServerInput;
}

interface Described extends Pick<GalleryServer, 'about' | 'package' | 'version' | 'tools'> {
  name: string;
  args?: readonly string[];
  env?: NonNullable<McpServerInput['manifest']>['env'];
  /** Scopes, each with the tools that need it. */
  gates: Readonly<Record<string, readonly string[]>>;
}

/** Those that load a package may take as long as that takes. */
const startSeconds = 180;

const described = (
  { name, env = {}, gates, ...rest }: Described,
  { registry, shape }: Pick<GalleryServer, 'registry'> & { shape: { command: string; args: string[] } },
): GalleryServer => ({
  ...{ about: rest.about, registry, package: rest.package, version: rest.version, licence: 'MIT' },
  tools: rest.tools,
  input: mcpServerInput.parse({
    name,
    shape: { type: 'command', ...shape },
    manifest: {
      env,
      tool_scopes: Object.fromEntries(
        Object.entries(gates).flatMap(([scope, tools]) => tools.map((tool) => [tool, scope])),
      ),
    },
    // A package is loaded only for a server that has it (docs/operations.md).
    network: 'internet',
    start_seconds: startSeconds,
  }),
});

const ofNpm = (server: Described): GalleryServer => {
  const args = ['-y', `${server.package}@${server.version}`, ...(server.args ?? [])];
  return described(server, { registry: 'npm', shape: { command: 'npx', args } });
};

const ofPyPi = (server: Described): GalleryServer => {
  const args = [`${server.package}@${server.version}`, ...(server.args ?? [])];
  return described(server, { registry: 'PyPI', shape: { command: 'uvx', args } });
};

export const serverGallery: readonly GalleryServer[] = [
  ofNpm({
    name: 'files',
    about: 'Reads and writes files of a folder of its own, for as long as the session runs.',
    package: '@modelcontextprotocol/server-filesystem',
    version: '2026.8.31',
    args: ['.'],
    tools: [
      ...['read_file', 'read_text_file', 'read_media_file', 'read_multiple_files', 'list_directory'],
      ...['list_directory_with_sizes', 'directory_tree', 'search_files', 'get_file_info'],
      ...['list_allowed_directories', 'write_file', 'edit_file', 'create_directory', 'move_file'],
    ],
    gates: { 'files.write': ['write_file', 'edit_file', 'create_directory', 'move_file'] },
  }),
  ofNpm({
    name: 'memory',
    about: 'Keeps a graph of facts for as long as the session runs.',
    package: '@modelcontextprotocol/server-memory',
    version: '2026.8.31',
    tools: [
      ...['read_graph', 'search_nodes', 'open_nodes', 'create_entities', 'create_relations'],
      ...['add_observations', 'delete_entities', 'delete_observations', 'delete_relations'],
    ],
    gates: {
      'memory.write': ['create_entities', 'create_relations', 'add_observations'],
      'memory.delete': ['delete_entities', 'delete_observations', 'delete_relations'],
    },
    // It would write beside its own program, which it may not.
    env: {
      MEMORY_FILE_PATH: { kind: 'value', label: 'File of the graph', default: '/workspace/memory.jsonl' },
    },
  }),
  ofNpm({
    name: 'thinking',
    about: 'Has an agent think in steps that it can revise.',
    package: '@modelcontextprotocol/server-sequential-thinking',
    version: '2026.8.31',
    tools: ['sequentialthinking'],
    gates: {},
  }),
  ofPyPi({
    name: 'time',
    about: 'What time it is, in any time zone.',
    package: 'mcp-server-time',
    version: '2026.10.19',
    tools: ['get_current_time', 'convert_time'],
    gates: {},
  }),
  ofPyPi({
    name: 'fetch',
    about: 'Fetches pages of the public internet as text.',
    package: 'mcp-server-fetch',
    version: '2026.10.24',
    tools: ['fetch'],
    gates: { 'web.fetch': ['fetch'] },
  }),
  ofNpm({
    name: 'everything',
    about: 'One of each thing that a server can do, for trying out.',
    package: '@modelcontextprotocol/server-everything',
    version: '2026.8.31',
    tools: [
      ...['echo', 'get-annotated-message', 'get-env', 'get-resource-links', 'get-resource-reference'],
      ...['get-structured-content', 'get-sum', 'get-tiny-image', 'gzip-file-as-resource'],
      ...['simulate-research-query', 'toggle-simulated-logging', 'toggle-subscriber-updates'],
      'trigger-long-running-operation',
    ],
    gates: {
      // It answers with its whole environment.
      'everything.environment': ['get-env'],
      // It fetches what it is told to.
      'everything.fetch': ['gzip-file-as-resource'],
    },
  }),
];

/** Whether the entry runs exactly the version that was looked at. */
export function isExact({ input: { shape } }: GalleryServer): boolean {
  const request = shape.type === 'command' ? readPackageRequest(shape.command, shape.args) : null;
  return request !== null && isPinned(request);
}

/** The server of this name, or null. */
export const galleryServer = (name: string): GalleryServer | null =>
  serverGallery.find(({ input }) => input.name === name) ?? null;
