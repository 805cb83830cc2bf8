/** Names of a session's objects on the cluster, and the labels that identify them. */
import * as z from 'zod';
import { uuid } from '../../contract/names.ts';
import { productSlug } from '../../contract/product-name.ts';

/** Not a public domain. */
const domain = `${productSlug}.internal`;

export const labelKeys = {
  session: `${domain}/session`,
  workspace: `${domain}/workspace`,
  /** Which platform it belongs to, where several share a namespace. */
  installation: `${domain}/installation`,
  /**
   * The launch of the session that created it: Secrets are named after it, so that none is mistaken
   * for an earlier launch's.
   */
  launch: `${domain}/launch`,
  /** Set before the platform deletes a Pod, so that every worker knows that the platform did. */
  stopping: `${domain}/stopping`,
} as const;

/** Holds a Pod back until its Secrets and its policy exist. */
export const schedulingGate = `${domain}/secrets`;

export const launchId = z.string().regex(/^[0-9a-f]{8}$/);

export const podName = (sessionId: string) => `session-${uuid.parse(sessionId)}`;

const partName = (sessionId: string, launch: string, part: string) =>
  `${podName(sessionId)}-${launchId.parse(launch)}-${part}`;

export const bootSecretName = (sessionId: string, launch: string) => partName(sessionId, launch, 'boot');
export const envSecretName = (sessionId: string, launch: string, container: string) =>
  partName(sessionId, launch, `env-${container}`);
export const registrySecretName = (sessionId: string, launch: string, server: string) =>
  partName(sessionId, launch, `registry-${server}`);
export const networkPolicyName = (sessionId: string, launch: string) =>
  partName(sessionId, launch, 'network');

export function sessionLabels(ids: {
  sessionId: string;
  workspaceId: string;
  installation: string;
  launch: string;
}): Record<string, string> {
  return {
    'app.kubernetes.io/name': productSlug,
    'app.kubernetes.io/component': 'session',
    'app.kubernetes.io/managed-by': productSlug,
    [labelKeys.session]: ids.sessionId,
    [labelKeys.workspace]: ids.workspaceId,
    [labelKeys.installation]: ids.installation,
    [labelKeys.launch]: ids.launch,
  };
}

/** Selects every session of one installation. */
export const sessionSelector = (installation: string) =>
  `app.kubernetes.io/component=session,${labelKeys.installation}=${installation}`;
