/** Pure: the image and the command of each container that runs something of a session, or a sentence about what containers cannot run. */
import { isLoopbackUrl } from '../../config/parse.ts';
import type { Run } from '../../contract/agent.ts';
import { noClaudeImage } from '../../contract/available-runs.ts';
import type { FrozenImage, FrozenModelAccess, FrozenServer } from '../../contract/session.ts';
import { pinReference } from '../../lib/oci/reference.ts';
import { bridgeConfigOf, privateOriginOf, type RemoteServer } from '../bridge-config.ts';
import { modelCommand, modelProgramOf, refuseOwnLoopback } from '../model-program.ts';
import { UnsupportedWorkloadError } from '../workload.ts';
import type { ContainerSettings } from './container-parts.ts';
import { type ContainerImage, containerPaths } from './container-workload.ts';

/** What runs in a container behind the relay. */
export interface Program {
  image: ContainerImage;
  command: string[];
  /** Volumes that its image declares. */
  volumes: readonly string[];
  /** Null: the image's own. */
  workingDirectory: string | null;
  /** The host with a private address that it reaches beside the internet: scheme, host and port; null for none. */
  privateOrigin: string | null;
}

type ProgramSettings = Pick<ContainerSettings, 'images' | 'privateHosts'>;

/** One in an image of the platform's. */
const inOwnImage = (reference: string, command: string[], privateOrigin: string | null = null): Program => ({
  image: { reference, credentialsOf: null },
  command,
  volumes: [],
  workingDirectory: containerPaths.workspace,
  privateOrigin,
});

/** Of the agent or a sibling, which `label` names. Throws UnsupportedWorkloadError. */
export function programOf(
  label: string,
  { run, image }: { run: Run; image: FrozenImage | null },
  { images }: ProgramSettings,
): Program {
  switch (run.type) {
    case 'builtin':
      return builtIn(label, run.name, images);
    case 'command':
      return inOwnImage(images.runner, [run.command, ...run.args]);
    case 'image':
      if (image === null) {
        throw new UnsupportedWorkloadError(`${label}: the image ${run.image} was not read from its registry`);
      }
      return {
        image: { reference: pinReference(run.image, image.digest), credentialsOf: null },
        command: image.command,
        volumes: image.volumes,
        workingDirectory: null,
        privateOrigin: null,
      };
  }
}

function builtIn(
  label: string,
  name: (Run & { type: 'builtin' })['name'],
  { scripted, claude }: ContainerSettings['images'],
): Program {
  if (name === 'scripted') {
    return inOwnImage(scripted, ['node', '/opt/platform/scripted-agent.js']);
  }
  if (claude === null) {
    throw new UnsupportedWorkloadError(`${label}: ${noClaudeImage}`);
  }
  return inOwnImage(claude, ['node', '/opt/platform/claude-agent.js']);
}

/** Of an MCP server. Throws UnsupportedWorkloadError. */
export function serverProgram(server: FrozenServer, settings: ProgramSettings): Program {
  const { name, shape, sign_in, image_digest, image_command, image_volumes, registry_credentials } = server;
  switch (shape.type) {
    case 'command':
      return inOwnImage(settings.images.runner, [shape.command, ...shape.args]);
    case 'image':
      if (image_digest === null || image_command === null || image_volumes === null) {
        throw new UnsupportedWorkloadError(
          `the MCP server "${name}": its image was not read from its registry; save the catalog entry again`,
        );
      }
      return {
        image: {
          reference: pinReference(shape.image, image_digest),
          credentialsOf: registry_credentials === null ? null : name,
        },
        command: image_command,
        volumes: image_volumes,
        workingDirectory: null,
        privateOrigin: null,
      };
    case 'remote':
      return bridgeTo(name, { shape, sign_in }, settings);
  }
}

/** In the sidecar's image, which each session's node has already, and which has nothing but Node beside the platform's own programs. */
function bridgeTo(name: string, server: RemoteServer, { images, privateHosts }: ProgramSettings): Program {
  const privateOrigin = privateOriginOf(server.shape, privateHosts);
  if (privateOrigin !== null && isLoopbackUrl(privateOrigin)) {
    throw new UnsupportedWorkloadError(
      `the MCP server "${name}": ${new URL(privateOrigin).host} would be its own container here; give it a URL with an address that containers reach, and list that in PRIVATE_MCP_HOSTS`,
    );
  }
  const config = bridgeConfigOf(server, { privateHosts, mcpDirectory: containerPaths.mcp, hostSocket: null });
  const command = ['node', '/opt/platform/remote-bridge.js', JSON.stringify(config)];
  return inOwnImage(images.sidecar, command, privateOrigin);
}

/** Of the agent's model access, in the sidecar's image as well. Throws UnsupportedWorkloadError. */
export function modelProgram(
  access: FrozenModelAccess,
  settings: Pick<ContainerSettings, 'images' | 'privateHosts' | 'modelBaseUrl'>,
): Program {
  const place = { socketDirectory: containerPaths.model, hostSocket: null };
  const program = modelProgramOf(access, settings, place);
  refuseOwnLoopback(program);
  const command = [...modelCommand('node', '/opt/platform/model-program.js'), JSON.stringify(program.config)];
  return inOwnImage(settings.images.sidecar, command, program.privateOrigin);
}
