/** Environment of the API process. */
import * as z from 'zod';
import { runtimeName } from '../contract/available-runs.ts';
import { withFixedLimits } from './fixed-limits.ts';
import { groupRuleFields } from './group-rules.ts';
import { httpsProxyFields } from './https-proxy.ts';
import { approvalPrivateKey } from './keys.ts';
import { modelEndpointFields } from './model-endpoints.ts';
import { databasePool, flag, isLoopback, isLoopbackUrl, key32, port } from './parse.ts';
import { previewDomain, whyNotPreviewDomain } from './preview-domain.ts';
import { privateHosts } from './private-hosts.ts';
import { publicUrl } from './public-url.ts';
import { sharedFields } from './shared.ts';
import { refuseHalfTls } from './temporal.ts';
import { trustedProxies } from './trusted-proxies.ts';

const settings = z
  .object({
    ...sharedFields,
    HOST: z.string().default('127.0.0.1').describe('address that the API listens at'),
    PORT: port.default(8080).describe('port of the API and the web UI'),
    PUBLIC_URL: publicUrl
      .optional()
      .describe("origin that browsers use; decides the cookie's Secure flag and which Origin is ours"),
    PREVIEW_DOMAIN: previewDomain
      .optional()
      .describe('each preview is opened at a name below it, which leads to the API'),
    DATABASE_POOL: databasePool(16),
    TEMPORAL_UI_URL: z.url().optional().describe('where people look at workflows; the web UI links to it'),
    APPROVAL_PRIVATE_KEY: approvalPrivateKey.describe(
      'signs approvals: PKCS#8 PEM of an Ed25519 key, in base64',
    ),
    COOKIE_KEY: key32.describe('32 bytes in base64; protects the cookie of who is signed in'),
    OIDC_ISSUER: z.url().optional().describe('identity provider; required unless DEMO_SIGN_IN is on'),
    OIDC_CLIENT_ID: z.string().optional().describe('client of the platform there; required with OIDC_ISSUER'),
    OIDC_CLIENT_SECRET: z.string().optional().describe("the client's secret; a public client has none"),
    ...groupRuleFields,
    ...httpsProxyFields,
    DEMO_SIGN_IN: flag.default(false).describe('lets anybody in as anybody; on a loopback address only'),
    TRUST_PROXY: trustedProxies.describe(
      'whose X-Forwarded-For is trusted: true, how many proxies, or their addresses and ranges',
    ),
    PRIVATE_EMBEDDING_HOSTS: privateHosts.describe('embedding providers that may have a private address'),
    ...modelEndpointFields,
    RUNTIME: runtimeName
      .default('process')
      .describe('what sessions run on: process, container or kubernetes'),
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
    if (config.OIDC_GROUP_RULES.length > 0 && config.OIDC_ISSUER === undefined) {
      refuse('OIDC_GROUP_RULES', 'needs OIDC_ISSUER: groups are what an identity provider says');
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

export const apiShape = settings.shape;
export const apiConfig = settings.transform((parsed) => withFixedLimits(parsed));
export type ApiConfig = z.infer<typeof apiConfig>;

/** Whether this URL is meant for users on other machines. An invalid URL is reported elsewhere. */
function isForOthers(publicUrl: string | undefined): boolean {
  return publicUrl !== undefined && URL.canParse(publicUrl) && !isLoopbackUrl(publicUrl);
}

/**
 * A provider over http on this machine is for demos, where anyone can sign in as anyone: not for
 * users on other machines.
 */
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
