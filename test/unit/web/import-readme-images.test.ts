import { describeReadmes, docker, image, mcpServers } from '../../support/imported-readmes.ts';

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
