import { command, describeReadmes, mcpServers, remote } from '../../support/imported-readmes.ts';

const githubInputs = [
  { type: 'promptString', id: 'github_token', description: 'GitHub Personal Access Token', password: true },
];

describeReadmes('a command or an address of a README', {
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
  'MongoDB, with a database on the own machine': {
    text: mcpServers('MongoDB', {
      command: 'npx',
      args: ['-y', 'mongodb-mcp-server@latest', '--readOnly'],
      env: { MDB_MCP_CONNECTION_STRING: 'mongodb://localhost:27017/myDatabase' },
    }),
    shape: command('npx', '-y', 'mongodb-mcp-server@latest', '--readOnly'),
    variables: { MDB_MCP_CONNECTION_STRING: 'secret!' },
    notes: [/will be named "mongodb"$/],
  },
  'Apify, whose address says what it offers': {
    text: mcpServers('apify', { url: 'https://mcp.apify.com?payment=skyfire' }),
    shape: remote('https://mcp.apify.com?payment=skyfire'),
  },
  'Exa, with its key in the address': {
    text: mcpServers('exa', { url: 'https://mcp.exa.ai/mcp?exaApiKey=correcthorse' }),
    problems: [/^its url may contain a secret/],
  },
  'Firecrawl, with its key in the path of the address': {
    text: mcpServers('firecrawl', { url: 'https://mcp.firecrawl.dev/{FIRECRAWL_API_KEY}/v2/mcp' }),
    problems: [/^its url is a placeholder/],
  },
  'LinkedIn, with a longer limit for its download': {
    text: mcpServers('linkedin', {
      command: 'uvx',
      args: ['mcp-server-linkedin@latest'],
      env: { UV_HTTP_TIMEOUT: '300' },
    }),
    shape: command('uvx', 'mcp-server-linkedin@latest'),
    variables: { UV_HTTP_TIMEOUT: 'value=300' },
  },
  'Chrome DevTools, in Codex on Windows': {
    text: mcpServers('chrome-devtools', {
      ...{ command: 'cmd', args: ['/c', 'npx', '-y', 'chrome-devtools-mcp@latest'] },
      env: { SystemRoot: 'C:\\Windows', PROGRAMFILES: 'C:\\Program Files' },
    }),
    shape: command('npx', '-y', 'chrome-devtools-mcp@latest'),
    notes: [/^SystemRoot is left out: Windows sets it/, /^PROGRAMFILES is left out/],
  },
  'Chrome DevTools, with a browser that runs already': {
    text: mcpServers('chrome', {
      command: 'npx',
      args: ['chrome-devtools-mcp', '--browser-url=http://127.0.0.1:9222'],
    }),
    shape: command('npx', 'chrome-devtools-mcp', '--browser-url=http://127.0.0.1:9222'),
    notes: [/^argument 2 has an address that each machine has for itself/],
  },
  'Neon, by mcp-remote with a header': {
    text: mcpServers('neon', {
      command: 'npx',
      args: ['mcp-remote', 'https://mcp.neon.tech/mcp', '--header', 'Authorization: Bearer <$NEON_API_KEY>'],
    }),
    shape: remote('https://mcp.neon.tech/mcp', {
      ...{ name: 'Authorization', prefix: 'Bearer ', variable: 'Authorization' },
    }),
    variables: { Authorization: 'secret!' },
  },
  'Redis, with its password in a quoted argument': {
    text: mcpServers('redis', {
      command: 'uvx',
      args: ['--from', 'redis-mcp-server', 'redis-mcp-server', '--url', '"redis://:pass@host:6379/0"'],
    }),
    problems: [/^argument 5 looks like a secret/],
  },
  'Sentry, in the coding agent of GitHub': {
    text: mcpServers('sentry', {
      ...{ type: 'local', command: 'npx', args: ['@sentry/mcp-server@latest', '--host=$SENTRY_HOST'] },
      env: { SENTRY_HOST: 'https://contoso.sentry.io' },
    }),
    problems: [/^argument 2 has the reference \$SENTRY_HOST, which no client fills in here/],
  },
});
