/** Names of a session's objects on the engine, and the labels that identify them. */
import { uuid } from '../../contract/names.ts';
import { productSlug } from '../../contract/product-name.ts';

/** Not a public domain. */
const domain = `${productSlug}.internal`;

export const labelKeys = {
  installation: `${domain}/installation`,
  session: `${domain}/session`,
  /** Within the session: `sidecar`, `agent`, `mcp-<server>`, `sibling-<name>` or `net-<one of these>`. */
  container: `${domain}/container`,
  /** The start attempt that created it. */
  attempt: `${domain}/attempt`,
} as const;

export interface SessionOnEngine {
  installation: string;
  sessionId: string;
}

const prefix = ({ installation, sessionId }: SessionOnEngine) => `${installation}-${uuid.parse(sessionId)}`;

export const containerName = (session: SessionOnEngine, container: string) =>
  `${prefix(session)}-${container}`;

/** The dot separates the parts: no container name has one. */
export const volumeName = (session: SessionOnEngine, ...parts: string[]) =>
  [prefix(session), ...parts].join('.').replaceAll('/', '.');

export const sessionLabels = ({ installation, sessionId }: SessionOnEngine): Record<string, string> => ({
  [labelKeys.installation]: installation,
  [labelKeys.session]: sessionId,
});

/** A container that holds the network of `container`, and nothing else. */
export const holderName = (container: string) => `net-${container}`;
export const isHolder = (container: string) => container.startsWith('net-');
