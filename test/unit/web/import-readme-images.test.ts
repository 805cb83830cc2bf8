import {
  command,
  describeReadmes,
  docker,
  image,
  mcpServers,
  remote,
} from '../../support/imported-readmes.ts';

const githubInputs = [
  { type: 'promptString', id: 'github_token', description: 'GitHub Personal Access Token', password: true },
];

describeReadmes('an image of a README', {
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
  'Atlassian, with a file of variables': {
    text: mcpServers(
      'mcp-atlassian',
      docker('run', '--rm', '-i', '--env-file', '/path/to/your/.env', 'mcp/atlassian'),
    ),
    problems: [
      /^its container is given --env-file: a file of that machine: write its variables as "-e", "NAME"$/,
    ],
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
  'Notion, as an image with the token in its arguments': {
    text: mcpServers('notionApi', docker('run', '--rm', '-i', '-e', 'NOTION_TOKEN=ntn_****', 'mcp/notion')),
    shape: image('mcp/notion'),
    variables: { NOTION_TOKEN: 'secret!' },
    notes: [/will be named "notion-api"$/],
  },
  'Playwright, as an image': {
    text: mcpServers(
      'playwright',
      docker('run', '-i', '--rm', '--init', '--pull=always', 'mcr.microsoft.com/playwright/mcp'),
    ),
    problems: [/^its container is given --init: containers have no such setting here: remove the flag/],
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
  'the gateway of Docker': {
    text: mcpServers('MCP_DOCKER', docker('mcp', 'gateway', 'run')),
    problems: [/^no server has a container engine here, so "docker mcp" cannot run/],
  },
});

const inRegistry = (name: string, ...packages: object[]) => ({
  ...{ name, version: '1.0.0' },
  packages: packages.map((each) => ({ transport: { type: 'stdio' }, ...each })),
});
const dockerVariable = (name: string, isSecret: boolean) => ({
  ...{ type: 'named', name: '-e', value: `${name}={given}`, isRequired: true },
  variables: { given: { isRequired: true, isSecret } },
});

describeReadmes('a document of the registry', {
  Brave: {
    text: inRegistry('io.github.brave/brave-search-mcp-server', {
      ...{ registryType: 'npm', identifier: '@brave/brave-search-mcp-server', version: '2.1.3' },
      registryBaseUrl: 'https://registry.npmjs.org',
      environmentVariables: [{ name: 'BRAVE_API_KEY', isRequired: true, isSecret: true }],
    }),
    shape: command('npx', '-y', '@brave/brave-search-mcp-server@2.1.3'),
    variables: { BRAVE_API_KEY: 'secret!' },
    notes: [/will be named "brave-search-mcp-server"$/, /packages come from the one that the operator set$/],
  },
  'Redis, as a package and as an image': {
    text: inRegistry(
      'io.github.redis/mcp-redis',
      { registryType: 'pypi', identifier: 'redis-mcp-server', version: '0.3.5' },
      { registryType: 'oci', identifier: 'docker.io/mcp/redis:latest' },
    ),
    shape: command('uvx', 'redis-mcp-server@0.3.5'),
    notes: [
      /will be named "mcp-redis"$/,
      /it is also offered as the oci package docker\.io\/mcp\/redis:latest$/,
    ],
  },
  'MongoDB, with options of its own': {
    text: inRegistry('io.github.mongodb-js/mongodb-mcp-server', {
      ...{ registryType: 'npm', identifier: 'mongodb-mcp-server', version: '1.2.0' },
      environmentVariables: [{ name: 'MDB_MCP_READ_ONLY', isRequired: false, format: 'boolean' }],
      packageArguments: [{ type: 'named', name: '--connectionString', isRequired: false }],
    }),
    shape: command('npx', '-y', 'mongodb-mcp-server@1.2.0'),
    variables: { MDB_MCP_READ_ONLY: 'value' },
    notes: [/will be named "mongodb-mcp-server"$/, /^optional arguments are left out: --connectionString$/],
  },
  'Zscaler, an image with required variables': {
    text: inRegistry('io.github.zscaler/zscaler-mcp-server', {
      ...{ registryType: 'oci', identifier: 'docker.io/zscaler/zscaler-mcp-server:latest' },
      runtimeHint: 'docker',
      runtimeArguments: [
        dockerVariable('ZSCALER_CLIENT_SECRET', true),
        dockerVariable('ZSCALER_VANITY_DOMAIN', false),
      ],
    }),
    shape: image('docker.io/zscaler/zscaler-mcp-server:latest'),
    variables: { ZSCALER_CLIENT_SECRET: 'secret!', ZSCALER_VANITY_DOMAIN: 'value!' },
    notes: [/will be named "zscaler-mcp-server"$/],
  },
  'Grafana, before its version is filled in': {
    text: inRegistry('io.github.grafana/mcp-grafana', {
      ...{ registryType: 'oci', identifier: 'docker.io/grafana/mcp-grafana', version: '$VERSION' },
    }),
    problems: [/^shape\.image must be an OCI image reference/],
  },
  'Apify, remote with a required header': {
    text: {
      ...{ name: 'com.apify/apify-mcp-server', version: '0.17.4' },
      remotes: [
        {
          ...{ type: 'streamable-http', url: 'https://mcp.apify.com/' },
          headers: [{ name: 'Authorization', isRequired: true, isSecret: true }],
        },
      ],
    },
    shape: remote('https://mcp.apify.com/', {
      ...{ name: 'Authorization', prefix: '', variable: 'Authorization' },
    }),
    variables: { Authorization: 'secret!' },
    notes: [/will be named "apify-mcp-server"$/],
  },
});
