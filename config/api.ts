/** Environment of the API process. */
import * as z from 'zod';
import { runtimeName } from '../contract/available-runs.ts';
import { httpsProxyFields } from './https-proxy.ts';
import { approvalPrivateKey, masterKeys, sessionKeySeed } from './keys.ts';
import { limitFields } from './limits.ts';
import { databaseUrl, flag, isLoopback, isLoopbackUrl, key32, logLevel, port } from './parse.ts';
import { previewDomain, whyNotPreviewDomain } from './preview-domain.ts';
import { privateHosts } from './private-hosts.ts';
import { publicUrl } from './public-url.ts';
import { registryRealms } from './registries.ts';
import { refuseHalfTls, temporalFields } from './temporal.ts';
import { trustedProxies } from './trusted-proxies.ts';

export const apiConfig = z
  .object({
    HOST: z.string().default('127.0.0.1'),
    PORT: port.default(8080),
    /** The origin that browsers use; decides the cookie's Secure flag and which Origin is ours. */
    PUBLIC_URL: publicUrl.optional(),
    /** Each preview is opened at a name below it, which leads to this API. Where only this machine reaches the platform, `localhost`. */
    PREVIEW_DOMAIN: previewDomain.optional(),
    DATABASE_URL: databaseUrl,
    DATABASE_POOL: z.coerce.number().int().min(2).max(200).default(16),
    ...temporalFields,
    TEMPORAL_UI_URL: z.url().optional(),
    MASTER_KEYS: masterKeys,
    SESSION_KEY_SEED: sessionKeySeed,
    APPROVAL_PRIVATE_KEY: approvalPrivateKey,
    COOKIE_KEY: key32,
    OIDC_ISSUER: z.url().optional(),
    OIDC_CLIENT_ID: z.string().optional(),
    OIDC_CLIENT_SECRET: z.string().optional(),
    ...httpsProxyFields,
    DEMO_SIGN_IN: flag.default(false),
    /** Whose `X-Forwarded-For` is trusted. */
    TRUST_PROXY: trustedProxies,
    /** Image registries that may have a private address; none by default, and never a metadata service. */
    PRIVATE_REGISTRIES: privateHosts,
    /** Token servers on other hosts than their registry that its credentials may be sent to. */
    REGISTRY_REALMS: registryRealms,
    /** Remote MCP servers, and their authorization servers, that may have a private address; never a metadata service. */
    PRIVATE_MCP_HOSTS: privateHosts,
    /** Embedding providers that may have a private address; never a metadata service. */
    PRIVATE_EMBEDDING_HOSTS: privateHosts,
    /** What the workers run sessions on: decides which agents can be saved. */
    RUNTIME: runtimeName.default('process'),
    NODE_ENV: z.string().optional(),
    LOG_LEVEL: logLevel,
    ...limitFields,
  })
  .superRefine((config, context) => {
    const refuse = (variable: string, message: string) =>
      context.addIssue({ code: 'custom', path: [variable], message });
    refuseHalfTls(config, refuse);
    if (config.DEMO_SIGN_IN && config.NODE_ENV === 'production') {
      refuse('DEMO_SIGN_IN', 'demo sign-in lets anyone in; it does not start with NODE_ENV=production');
    }
    if (config.DEMO_SIGN_IN && !isLoopback(config.HOST)) {
      refuse('DEMO_SIGN_IN', 'demo sign-in lets anyone in; it needs HOST to be a loopback address');
    }
    if (config.DEMO_SIGN_IN && isForOthers(config.PUBLIC_URL)) {
      refuse(
        'DEMO_SIGN_IN',
        'demo sign-in lets anyone in; it needs PUBLIC_URL to be a loopback address, or none',
      );
    }
    if (!config.DEMO_SIGN_IN && (config.OIDC_ISSUER === undefined || config.OIDC_CLIENT_ID === undefined)) {
      refuse('OIDC_ISSUER', 'OIDC_ISSUER and OIDC_CLIENT_ID are required unless DEMO_SIGN_IN is on');
    }
    if (config.OIDC_ISSUER !== undefined && config.PUBLIC_URL === undefined) {
      refuse('PUBLIC_URL', 'is required with OIDC_ISSUER: the provider sends people back to it');
    }
    const wrongDomain =
      config.PREVIEW_DOMAIN === undefined
        ? null
        : whyNotPreviewDomain(config.PREVIEW_DOMAIN, config.PUBLIC_URL);
    if (wrongDomain !== null) {
      refuse('PREVIEW_DOMAIN', wrongDomain);
    }
    if (isLocalProviderForOthers(config)) {
      refuse(
        'OIDC_ISSUER',
        'is a provider for demos (http on this machine), but PUBLIC_URL is an address that others reach: set OIDC_ISSUER to your own provider, or PUBLIC_URL to a loopback address',
      );
    }
  });
export type ApiConfig = z.infer<typeof apiConfig>;

/** Whether this URL is meant for users on other machines. An invalid URL is reported elsewhere. */
function isForOthers(publicUrl: string | undefined): boolean {
  return publicUrl !== undefined && URL.canParse(publicUrl) && !isLoopbackUrl(publicUrl);
}

/** A provider over http on this machine is for demos, where anyone can sign in as anyone: not for users on other machines. */
function isLocalProviderForOthers({
  OIDC_ISSUER: issuer,
  PUBLIC_URL: publicUrl,
}: {
  OIDC_ISSUER?: string | undefined;
  PUBLIC_URL?: string | undefined;
}): boolean {
  if (issuer === undefined || !URL.canParse(issuer)) {
    return false;
  }
  const { protocol, hostname } = new URL(issuer);
  const isLocal = isLoopbackUrl(issuer) || hostname === '0.0.0.0' || hostname === '[::]';
  return protocol === 'http:' && isLocal && isForOthers(publicUrl);
}
