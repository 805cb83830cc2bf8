/**
 * How API and worker reach Temporal: in plaintext for a development server, over TLS, with
 * mTLS, or with an API key.
 */
import * as z from 'zod';
import { flag } from './parse.ts';

const pem = z.string().regex(/^-----BEGIN [A-Z ]+-----/, 'must be PEM, for example from a _FILE');

export const temporalFields = {
  TEMPORAL_ADDRESS: z
    .string()
    .describe('host and port of Temporal; `npm start` brings one where none is named'),
  TEMPORAL_NAMESPACE: z.string().default('default').describe('namespace at Temporal'),
  TEMPORAL_TLS: flag
    .optional()
    .describe('TLS to Temporal; the other TEMPORAL_TLS_ variables and the API key turn it on as well'),
  TEMPORAL_TLS_CA: pem
    .optional()
    .describe("PEM of the certificate authority to trust in place of the system's"),
  TEMPORAL_TLS_CERT: pem.optional().describe("PEM of the client's certificate, for mTLS"),
  TEMPORAL_TLS_KEY: pem.optional().describe("PEM of the certificate's key"),
  TEMPORAL_TLS_SERVER_NAME: z
    .string()
    .optional()
    .describe("name in the server's certificate, where it is not the one in the address"),
  TEMPORAL_API_KEY: z.string().optional().describe('API key for Temporal'),
} as const;

const temporalConfig = z.object(temporalFields);
export type TemporalConfig = z.infer<typeof temporalConfig>;

/** Options of the SDK's connections. */
export interface TemporalConnection {
  address: string;
  namespace: string;
  tls?: {
    serverNameOverride?: string;
    serverRootCACertificate?: Buffer;
    clientCertPair?: { crt: Buffer; key: Buffer };
  };
  apiKey?: string;
}

/**
 * Rejects half a client certificate, and TLS both requested and disabled: such a mistake must
 * not connect in plaintext.
 */
export function refuseHalfTls(config: TemporalConfig, refuse: (variable: string, message: string) => void) {
  if ((config.TEMPORAL_TLS_CERT === undefined) !== (config.TEMPORAL_TLS_KEY === undefined)) {
    refuse('TEMPORAL_TLS_CERT', 'TEMPORAL_TLS_CERT and TEMPORAL_TLS_KEY belong together');
  }
  if (config.TEMPORAL_TLS === false && impliesTls(config)) {
    refuse('TEMPORAL_TLS', 'cannot be off with an API key or another TEMPORAL_TLS_ variable');
  }
}

/** Returns the connection options of a configuration; plaintext without any TLS variable or API key. */
export function temporalConnection(config: TemporalConfig): TemporalConnection {
  const { TEMPORAL_TLS_CA: ca, TEMPORAL_TLS_CERT: crt, TEMPORAL_TLS_KEY: key } = config;
  const { TEMPORAL_TLS_SERVER_NAME: serverName, TEMPORAL_API_KEY: apiKey } = config;
  const tls = {
    ...(serverName === undefined ? {} : { serverNameOverride: serverName }),
    ...(ca === undefined ? {} : { serverRootCACertificate: Buffer.from(ca) }),
    ...(crt === undefined || key === undefined
      ? {}
      : { clientCertPair: { crt: Buffer.from(crt), key: Buffer.from(key) } }),
  };
  return {
    address: config.TEMPORAL_ADDRESS,
    namespace: config.TEMPORAL_NAMESPACE,
    ...(config.TEMPORAL_TLS === true || impliesTls(config) ? { tls } : {}),
    ...(apiKey === undefined ? {} : { apiKey }),
  };
}

function impliesTls(config: TemporalConfig): boolean {
  return [
    config.TEMPORAL_TLS_CA,
    config.TEMPORAL_TLS_CERT,
    config.TEMPORAL_TLS_KEY,
    config.TEMPORAL_TLS_SERVER_NAME,
    config.TEMPORAL_API_KEY,
  ].some((value) => value !== undefined);
}
