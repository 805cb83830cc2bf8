import { readClientSecretRefusal } from '../../commands/oauth-clients/clients.ts';
import type { McpServerInput } from '../../contract/catalog.ts';
import type { FieldProblem } from '../../contract/errors.ts';
import { remoteServerProblems } from '../../contract/remote-server.ts';
import { OAuthDiscoveryError } from '../../lib/oauth/errors.ts';
import { parseServerUrl, remotePolicy } from '../../lib/oauth/requests.ts';
import type { ApiDependencies } from '../dependencies.ts';

/**
 * Why a remote server cannot be saved like this; empty for any other entry. Nothing is asked of the server.
 */
export async function unusableRemoteProblems(
  { db, config }: Pick<ApiDependencies, 'db' | 'config'>,
  workspaceId: string,
  input: McpServerInput,
): Promise<FieldProblem[]> {
  const { shape, name } = input;
  if (shape.type !== 'remote') {
    return [];
  }
  const reference = shape.client?.client_secret;
  const refusal = await readClientSecretRefusal(db, { workspaceId, entryName: name, reference });
  return [
    ...remoteServerProblems(input),
    ...urlProblems(config, shape.url),
    ...(refusal === null ? [] : [{ path: 'shape.client.client_secret', ...refusal }]),
  ];
}

function urlProblems({ PRIVATE_MCP_HOSTS }: ApiDependencies['config'], url: string): FieldProblem[] {
  try {
    parseServerUrl(remotePolicy(PRIVATE_MCP_HOSTS), url, 'the address', 'url_refused');
    return [];
  } catch (error) {
    if (error instanceof OAuthDiscoveryError) {
      return [{ path: 'shape.url', code: error.code, message: error.message }];
    }
    throw error;
  }
}
