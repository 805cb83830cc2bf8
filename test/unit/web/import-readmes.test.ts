/**
 * Configurations as the pages of well-known MCP servers print them, and what becomes of each: an entry that runs, or a refusal with its reason
 * and what to do instead.
 */
import { describe, expect, it } from '@jest/globals';
import { mcpServerInput } from '../../../contract/catalog.ts';
import { manifestProblems } from '../../../contract/manifest-validation.ts';
import { planImport } from '../../../web/src/pages/catalog/import-plan.ts';

interface Readme {
  text: string | object;
  /** The shape that is registered, for one that runs. */
  shape?: object;
  /** The variables of its manifest: `!` for a required one, and the default of a plain one. */
  variables?: Record<string, string>;
  /** All notes but those that only say what runs in the place of a launcher. */
  notes?: RegExp[];
  /** All problems, for one that is refused. */
  problems?: RegExp[];
}

const command = (program: string, ...args: string[]) => ({ type: 'command', command: program, args });
const image = (name: string) => ({ type: 'image', image: name });
const remote = (url: string, ...headers: object[]) => ({
  type: 'remote',
  url,
  ...(headers.length > 0 && { headers }),
});
const mcpServers = (name: string, server: object) => ({ mcpServers: { [name]: server } });
const docker = (...args: string[]) => ({ command: 'docker', args });

const githubInputs = [
  { type: 'promptString', id: 'github_token', description: 'GitHub Personal Access Token', password: true },
];

const readmes: Record<string, Readme> = {
  'GitHub, the image in VS Code': {
    text: {
      mcp: {
        inputs: githubInputs,
        servers: {
          github: {
            ...docker(
              'run',
              '-i',
              '--rm',
              '-e',
              'GITHUB_PERSONAL_ACCESS_TOKEN',
              'ghcr.io/github/github-mcp-server',
            ),
            env: { GITHUB_PERSONAL_ACCESS_TOKEN: '${input:github_token}' },
          },
        },
      },
    },
    shape: image('ghcr.io/github/github-mcp-server'),
    variables: { GITHUB_PERSONAL_ACCESS_TOKEN: 'secret!' },
  },
  'GitHub, a fragment for an enterprise': {
    text: `"github": {
    "command": "docker",
    "args": [
    "run",
    "-i",
    "--rm",
    "-e",
    "GITHUB_PERSONAL_ACCESS_TOKEN",
    "-e",
    "GITHUB_HOST",
    "ghcr.io/github/github-mcp-server"
    ],
    "env": {
        "GITHUB_PERSONAL_ACCESS_TOKEN": "\${input:github_token}",
        "GITHUB_HOST": "https://<your GHES or ghe.com domain name>"
    }
}`,
    shape: image('ghcr.io/github/github-mcp-server'),
    variables: { GITHUB_PERSONAL_ACCESS_TOKEN: 'secret!', GITHUB_HOST: 'value!' },
    notes: [/^the value of GITHUB_HOST is not kept: it is a placeholder$/],
  },
  'GitHub, the remote server in VS Code': {
    text: {
      servers: {
        github: {
          type: 'http',
          url: 'https://api.githubcopilot.com/mcp/',
          headers: { Authorization: 'Bearer ${input:github_mcp_pat}' },
        },
      },
      inputs: [{ ...githubInputs[0], id: 'github_mcp_pat' }],
    },
    shape: remote('https://api.githubcopilot.com/mcp/', {
      name: 'Authorization',
      prefix: 'Bearer ',
      variable: 'github_mcp_pat',
    }),
    variables: { github_mcp_pat: 'secret!' },
  },
  'GitHub, built from its source': {
    text: {
      mcp: {
        servers: {
          github: {
            command: '/path/to/github-mcp-server',
            args: ['stdio'],
            env: { GITHUB_PERSONAL_ACCESS_TOKEN: '<YOUR_TOKEN>' },
          },
        },
      },
    },
    problems: [/^its command is a program of the machine that the text was written for: use its package/],
  },
  'GitHub, in the registry': {
    text: {
      name: 'io.github.github/github-mcp-server',
      version: '0.20.1',
      packages: [
        {
          registryType: 'oci',
          identifier: 'ghcr.io/github/github-mcp-server:0.20.1',
          transport: { type: 'stdio' },
          runtimeArguments: [
            { type: 'positional', value: 'run', isRequired: true },
            { type: 'named', name: '-i', value: 'true', format: 'boolean', isRequired: true },
            { type: 'named', name: '--rm', value: 'true', format: 'boolean' },
            {
              type: 'named',
              name: '-e',
              description: 'Set an environment variable in the runtime',
              value: 'GITHUB_PERSONAL_ACCESS_TOKEN={token}',
              isRequired: true,
              variables: { token: { isRequired: true, isSecret: true, format: 'string' } },
            },
            {
              type: 'positional',
              valueHint: 'image_name',
              value: 'ghcr.io/github/github-mcp-server',
              isRequired: true,
            },
          ],
        },
      ],
    },
    shape: image('ghcr.io/github/github-mcp-server:0.20.1'),
    variables: { GITHUB_PERSONAL_ACCESS_TOKEN: 'secret!' },
    notes: [/will be named "github-mcp-server"$/],
  },
  'Terraform, in the registry': {
    text: {
      name: 'io.github.hashicorp/terraform-mcp-server',
      version: '1.1.0',
      packages: [
        {
          registryType: 'oci',
          identifier: 'docker.io/hashicorp/terraform-mcp-server:1.1.0',
          transport: { type: 'stdio' },
          runtimeHint: 'docker',
          runtimeArguments: [
            {
              type: 'named',
              name: '-e',
              value: 'TFE_ADDRESS={address}',
              isRequired: false,
              variables: { address: { isSecret: false, default: 'https://app.terraform.io' } },
            },
            {
              type: 'named',
              name: '-e',
              value: 'TFE_TOKEN={token}',
              isRequired: false,
              variables: { token: { isRequired: false, isSecret: true } },
            },
          ],
        },
      ],
    },
    shape: image('docker.io/hashicorp/terraform-mcp-server:1.1.0'),
    variables: { TFE_ADDRESS: 'value=https://app.terraform.io', TFE_TOKEN: 'secret' },
    notes: [/will be named "terraform-mcp-server"$/],
  },
  'Terraform, with the inputs of VS Code': {
    text: {
      servers: {
        terraform: docker(
          ...[
            'run',
            '-i',
            '--rm',
            '-e',
            'TFE_TOKEN=${input:tfe_token}',
            '-e',
            'TFE_ADDRESS=${input:tfe_address}',
          ],
          'hashicorp/terraform-mcp-server:0.5.2',
        ),
      },
      inputs: [
        { type: 'promptString', id: 'tfe_token', description: 'Terraform API Token', password: true },
        { type: 'promptString', id: 'tfe_address', description: 'Terraform Address', password: false },
      ],
    },
    shape: image('hashicorp/terraform-mcp-server:0.5.2'),
    variables: { TFE_TOKEN: 'secret!', TFE_ADDRESS: 'value!' },
  },
  'Terraform, with placeholders and a comma too many': {
    text: `{
  "mcp": {
    "servers": {
      "terraform": {
        "type": "stdio",
        "command": "docker",
        "args": ["run", "-i", "--rm", "-e", "TFE_TOKEN=<<PASTE_TFE_TOKEN_HERE>>", "hashicorp/terraform-mcp-server:0.5.2"],
      }
    }
  }
}`,
    shape: image('hashicorp/terraform-mcp-server:0.5.2'),
    variables: { TFE_TOKEN: 'secret!' },
  },
  'the reference file server, with npx': {
    text: mcpServers('filesystem', {
      command: 'npx',
      args: [
        '-y',
        '@modelcontextprotocol/server-filesystem',
        '/Users/username/Desktop',
        '/path/to/other/allowed/dir',
      ],
    }),
    problems: [
      /^argument 3 names a file or folder of the machine .*\/Users\/username\/Desktop\): write a path below \/workspace/,
      /^argument 4 names a file or folder of the machine .*\/path\/to\/other/,
    ],
  },
  'the reference file server, on Windows': {
    text: mcpServers('filesystem', {
      command: 'cmd',
      args: ['/c', 'npx', '-y', '@modelcontextprotocol/server-filesystem', '${workspaceFolder}'],
    }),
    problems: [/^argument 3 names a file or folder of the machine .*\$\{workspaceFolder\}/],
  },
  'the reference file server, as an image with mounts': {
    text: mcpServers(
      'filesystem',
      docker(
        ...['run', '-i', '--rm', '--mount', 'type=bind,src=/Users/username/Desktop,dst=/projects/Desktop'],
        ...['mcp/filesystem', '/projects'],
      ),
    ),
    problems: [
      /^its container is given --mount: no session has files of that machine/,
      /^its image is given arguments/,
    ],
  },
  'the reference memory server': {
    text: mcpServers('memory', {
      command: 'npx',
      args: ['-y', '@modelcontextprotocol/server-memory'],
      env: { MEMORY_FILE_PATH: '/path/to/custom/memory.jsonl' },
    }),
    shape: command('npx', '-y', '@modelcontextprotocol/server-memory'),
    variables: { MEMORY_FILE_PATH: 'value!' },
    notes: [/^the value of MEMORY_FILE_PATH is not kept: .* is a path of the machine/],
  },
  'the reference time server': {
    text: mcpServers('time', { command: 'uvx', args: ['mcp-server-time', '--local-timezone=Europe/Berlin'] }),
    shape: command('uvx', 'mcp-server-time', '--local-timezone=Europe/Berlin'),
  },
  'the reference git server, installed with pip': {
    text: mcpServers('git', {
      command: 'python',
      args: ['-m', 'mcp_server_git', '--repository', 'path/to/git/repo'],
    }),
    problems: [/^argument 4 names a file or folder/],
  },
  'Atlassian, with its token among the arguments': {
    text: mcpServers('mcp-atlassian', {
      command: 'uvx',
      args: ['mcp-atlassian', '--jira-url=https://jira.example.com', '--jira-token=your_api_token'],
    }),
    problems: [/^argument 3 looks like a secret, .*: use a variable in env instead$/],
  },
  'Atlassian, with a file of variables': {
    text: mcpServers(
      'mcp-atlassian',
      docker('run', '--rm', '-i', '--env-file', '/path/to/your/.env', 'mcp/atlassian'),
    ),
    problems: [
      /^its container is given --env-file: a file of that machine: write its variables as "-e", "NAME"$/,
    ],
  },
  'Atlassian, over server-sent events': {
    text: mcpServers('mcp-atlassian-sse', { url: 'http://localhost:9000/sse' }),
    problems: [
      /^its transport is sse, by its url, and remote servers speak Streamable HTTP here: use its address/,
    ],
  },
  'Atlassian, remote by mcp-remote': {
    text: mcpServers('atlassian', {
      command: 'npx',
      args: ['-y', 'mcp-remote@latest', 'https://mcp.atlassian.com/v1/mcp'],
    }),
    shape: remote('https://mcp.atlassian.com/v1/mcp'),
  },
  'Grafana, with uvx': {
    text: mcpServers('grafana', {
      command: 'uvx',
      args: ['mcp-grafana'],
      env: {
        GRAFANA_URL: 'http://localhost:3000',
        GRAFANA_SERVICE_ACCOUNT_TOKEN: '<your service account token>',
      },
    }),
    shape: command('uvx', 'mcp-grafana'),
    variables: { GRAFANA_URL: 'value!', GRAFANA_SERVICE_ACCOUNT_TOKEN: 'secret!' },
    notes: [/^the value of GRAFANA_URL is not kept: http:\/\/localhost:3000 is on the machine/],
  },
  'Grafana, as an image with arguments': {
    text: mcpServers('grafana', {
      ...docker(
        ...['run', '--rm', '-i', '-e', 'GRAFANA_URL', '-e', 'GRAFANA_SERVICE_ACCOUNT_TOKEN'],
        'grafana/mcp-grafana',
        '-t',
        'stdio',
      ),
      env: { GRAFANA_URL: 'https://myinstance.grafana.net' },
    }),
    problems: [/^its image is given arguments, and images run without any here: use variables/],
  },
  'Notion, with a secret as JSON': {
    text: mcpServers('notionApi', {
      command: 'npx',
      args: ['-y', '@notionhq/notion-mcp-server'],
      env: { OPENAPI_MCP_HEADERS: '{"Authorization": "Bearer ntn_****", "Notion-Version": "2022-06-28" }' },
    }),
    shape: command('npx', '-y', '@notionhq/notion-mcp-server'),
    variables: { OPENAPI_MCP_HEADERS: 'secret!' },
    notes: [/^"notionApi" is no name that the catalog takes: it will be named "notion-api"$/],
  },
  'Notion, as an image with the token in its arguments': {
    text: mcpServers('notionApi', docker('run', '--rm', '-i', '-e', 'NOTION_TOKEN=ntn_****', 'mcp/notion')),
    shape: image('mcp/notion'),
    variables: { NOTION_TOKEN: 'secret!' },
    notes: [/will be named "notion-api"$/],
  },
  'Notion, in Zed': {
    text: `{
  // settings.json
  "context_servers": {
    "some_context_server": {
      "command": { "path": "npx", "args": ["-y", "@notionhq/notion-mcp-server"], "env": { "NOTION_TOKEN": "ntn_****" } },
      "settings": {}
    }
  }
}`,
    shape: command('npx', '-y', '@notionhq/notion-mcp-server'),
    variables: { NOTION_TOKEN: 'secret!' },
    notes: [
      /^"some_context_server" is no name that the catalog takes: it will be named "some-context-server"$/,
      /^"settings" is not supported here and is ignored$/,
    ],
  },
  'Context7, remote in Cursor': {
    text: mcpServers('context7', {
      url: 'https://mcp.context7.com/mcp',
      headers: { CONTEXT7_API_KEY: 'YOUR_API_KEY' },
    }),
    shape: remote('https://mcp.context7.com/mcp', {
      name: 'CONTEXT7_API_KEY',
      prefix: '',
      variable: 'CONTEXT7_API_KEY',
    }),
    variables: { CONTEXT7_API_KEY: 'secret!' },
  },
  'Context7, remote in Windsurf': {
    text: mcpServers('context7', { serverUrl: 'https://mcp.context7.com/mcp' }),
    shape: remote('https://mcp.context7.com/mcp'),
  },
  'Context7, remote in Gemini CLI': {
    text: mcpServers('context7', {
      httpUrl: 'https://mcp.context7.com/mcp',
      headers: { CONTEXT7_API_KEY: 'YOUR_API_KEY', Accept: 'application/json, text/event-stream' },
    }),
    shape: remote('https://mcp.context7.com/mcp', {
      name: 'CONTEXT7_API_KEY',
      prefix: '',
      variable: 'CONTEXT7_API_KEY',
    }),
    variables: { CONTEXT7_API_KEY: 'secret!' },
    notes: [/^the header Accept is left out/],
  },
  'Context7, remote in Cline': {
    text: mcpServers('context7', {
      url: 'https://mcp.context7.com/mcp',
      type: 'streamableHttp',
      headers: { Authorization: 'Bearer YOUR_API_KEY' },
    }),
    shape: remote('https://mcp.context7.com/mcp', {
      name: 'Authorization',
      prefix: 'Bearer ',
      variable: 'Authorization',
    }),
    variables: { Authorization: 'secret!' },
  },
  'Context7, with its key among the arguments': {
    text: mcpServers('context7', {
      command: 'npx',
      args: ['-y', '@upstash/context7-mcp', '--api-key', 'YOUR_API_KEY'],
    }),
    problems: [/^argument 4 looks like a secret/],
  },
  'Context7, in OpenCode': {
    text: `"mcp": {
  "context7": {
    "type": "local",
    "command": ["npx", "-y", "@upstash/context7-mcp"],
    "enabled": true
  }
}`,
    shape: command('npx', '-y', '@upstash/context7-mcp'),
    notes: [/^"enabled" is not supported here/],
  },
  'Context7, in Augment': {
    text: `"augment.advanced": {
  "mcpServers": [
    { "name": "context7", "command": "npx", "args": ["-y", "@upstash/context7-mcp"] }
  ]
}`,
    shape: command('npx', '-y', '@upstash/context7-mcp'),
  },
  'Playwright, in a code block': {
    text: '```js\n{\n  "mcpServers": {\n    "playwright": {\n      "command": "npx",\n      "args": [\n        "@playwright/mcp@latest"\n      ]\n    }\n  }\n}\n```\n',
    shape: command('npx', '@playwright/mcp@latest'),
  },
  'Playwright, as an image': {
    text: mcpServers(
      'playwright',
      docker('run', '-i', '--rm', '--init', '--pull=always', 'mcr.microsoft.com/playwright/mcp'),
    ),
    problems: [/^its container is given --init: containers have no such setting here: remove the flag/],
  },
  'Playwright, with a file for the state of its browser': {
    text: mcpServers('playwright', {
      command: 'npx',
      args: ['@playwright/mcp@latest', '--isolated', '--storage-state={path/to/storage.json}'],
    }),
    problems: [/^argument 3 names a file or folder/],
  },
  'AWS documentation, with uvx': {
    text: mcpServers('awslabs.aws-documentation-mcp-server', {
      command: 'uvx',
      args: ['awslabs.aws-documentation-mcp-server@latest'],
      env: { FASTMCP_LOG_LEVEL: 'ERROR', AWS_DOCUMENTATION_PARTITION: 'aws' },
      disabled: false,
      autoApprove: [],
    }),
    shape: command('uvx', 'awslabs.aws-documentation-mcp-server@latest'),
    variables: { FASTMCP_LOG_LEVEL: 'value=ERROR', AWS_DOCUMENTATION_PARTITION: 'value=aws' },
    notes: [
      /^"awslabs\.aws-documentation-mcp-server" is no name .*"awslabs-aws-documentation-mcp"$/,
      /^"disabled" is/,
      /^"autoApprove" is/,
    ],
  },
  'AWS documentation, on Windows': {
    text: mcpServers('aws-docs', {
      disabled: false,
      timeout: 60,
      type: 'stdio',
      command: 'uv',
      args: [
        ...['tool', 'run', '--from', 'awslabs.aws-documentation-mcp-server@latest'],
        'awslabs.aws-documentation-mcp-server.exe',
      ],
    }),
    shape: command(
      ...(['uvx', '--from', 'awslabs.aws-documentation-mcp-server@latest'] as const),
      'awslabs.aws-documentation-mcp-server',
    ),
    notes: [/^"disabled" is/, /^"timeout" is/],
  },
  'AWS documentation, as an image': {
    text: mcpServers('aws-docs', {
      ...docker(
        ...['run', '--rm', '--interactive', '--env', 'FASTMCP_LOG_LEVEL=ERROR'],
        ...['--env', 'AWS_DOCUMENTATION_PARTITION=aws', 'mcp/aws-documentation:latest'],
      ),
      env: {},
    }),
    shape: image('mcp/aws-documentation:latest'),
    variables: { FASTMCP_LOG_LEVEL: 'value=ERROR', AWS_DOCUMENTATION_PARTITION: 'value=aws' },
  },
  'Postgres, with uvx': {
    text: mcpServers('postgres', {
      command: 'uvx',
      args: ['postgres-mcp', '--access-mode=unrestricted'],
      env: { DATABASE_URI: 'postgresql://username:password@localhost:5432/dbname' },
    }),
    shape: command('uvx', 'postgres-mcp', '--access-mode=unrestricted'),
    variables: { DATABASE_URI: 'secret!' },
  },
  'Postgres, with uv run': {
    text: mcpServers('postgres', {
      command: 'uv',
      args: ['run', 'postgres-mcp', '--access-mode=unrestricted'],
    }),
    problems: [/^uv run starts a project of the machine .*: use its package with uvx$/],
  },
  'Postgres, installed with pipx': {
    text: mcpServers('postgres', { command: 'postgres-mcp', args: ['--access-mode=unrestricted'] }),
    shape: command('postgres-mcp', '--access-mode=unrestricted'),
    notes: [/^postgres-mcp has to be installed where sessions run/],
  },
  'Postgres, over server-sent events in Windsurf': {
    text: mcpServers('postgres', { type: 'sse', serverUrl: 'http://localhost:8000/sse' }),
    problems: [/^its transport is sse, and remote servers speak Streamable HTTP here/],
  },
  'Serena, from its source': {
    text: mcpServers('serena', {
      command: 'uvx',
      args: ['--from', 'git+https://github.com/oraios/serena', 'serena', 'start-mcp-server'],
    }),
    shape: command('uvx', '--from', 'git+https://github.com/oraios/serena', 'serena', 'start-mcp-server'),
  },
  'the weather server of the tutorial': {
    text: mcpServers('weather', {
      command: 'uv',
      args: ['--directory', '/ABSOLUTE/PATH/TO/PARENT/FOLDER/weather', 'run', 'weather.py'],
    }),
    problems: [/^uv run starts a project/, /^argument 2 names a file or folder/],
  },
  'the weather server of the tutorial, for Node': {
    text: mcpServers('weather', {
      command: 'node',
      args: ['C:\\ABSOLUTE\\PATH\\TO\\PARENT\\FOLDER\\weather\\build\\index.js'],
    }),
    problems: [/^its node runs .*, a file of the machine/, /^argument 1 names a file or folder/],
  },
  'a command with its arguments in it, as Cursor takes it': {
    text: mcpServers('playwright', { command: 'npx -y @playwright/mcp@latest --headless' }),
    shape: command('npx', '-y', '@playwright/mcp@latest', '--headless'),
  },
  'the gateway of Docker': {
    text: mcpServers('MCP_DOCKER', docker('mcp', 'gateway', 'run')),
    problems: [/^no server has a container engine here, so "docker mcp" cannot run/],
  },
  'a project file of Claude Code, with defaults': {
    text: mcpServers('api_server', {
      type: 'http',
      url: '${API_BASE_URL:-https://api.example.com}/mcp',
      headers: { Authorization: 'Bearer ${API_KEY}' },
    }),
    shape: remote('https://api.example.com/mcp', {
      name: 'Authorization',
      prefix: 'Bearer ',
      variable: 'API_KEY',
    }),
    variables: { API_KEY: 'secret!' },
    notes: [
      /will be named "api-server"$/,
      /^\$\{API_BASE_URL\} is taken to be its default, https:\/\/api\.example\.com$/,
    ],
  },
};

/** Said of every launcher that is replaced. */
const ofLaunchers =
  /^(it runs (with|without|as|.* in place of) |its command holds|it is registered as a remote)/;

const shown = (env: object = {}) =>
  Object.fromEntries(
    Object.entries(env as Record<string, { kind: string; required?: boolean; default?: string }>).map(
      ([name, { kind, required, default: preset }]) => [
        name,
        `${kind}${required === true ? '!' : ''}${preset === undefined ? '' : `=${preset}`}`,
      ],
    ),
  );

describe('a configuration of a README', () => {
  it.each(Object.entries(readmes))('%s', (_, { text, shape, variables = {}, notes = [], problems = [] }) => {
    const { servers, problem } = planImport(typeof text === 'string' ? text : JSON.stringify(text));
    expect(problem).toBeNull();
    expect(servers).toHaveLength(1);
    const [planned] = servers;
    expect(planned?.problems).toEqual(problems.map((why) => expect.stringMatching(why)));
    if (problems.length > 0) {
      return;
    }
    expect(planned?.input.shape).toEqual(shape);
    expect(shown(planned?.input.manifest?.env)).toEqual(variables);
    expect(planned?.notes.filter((note) => !ofLaunchers.test(note))).toEqual(
      notes.map((note) => expect.stringMatching(note)),
    );
    const input = mcpServerInput.parse(planned?.input);
    expect(
      manifestProblems(input.manifest ?? { env: {}, tool_scopes: {} }, () => ({ result: 'matches' })),
    ).toEqual([]);
  });
});
