/** Parses one process's environment against its schema, once, at start. Every problem is reported together. */
import { z } from 'zod';

export class ConfigurationError extends Error {
  override name = 'ConfigurationError';
}

/** Empty variables count as absent. Throws ConfigurationError naming each wrong variable; never repeats a value. */
export function parseEnvironment<Schema extends z.ZodType>(
  schema: Schema,
  environment: Record<string, string | undefined>,
): z.infer<Schema> {
  const present = Object.fromEntries(
    Object.entries(environment).filter(([, value]) => value !== undefined && value !== ''),
  );
  const result = schema.safeParse(present);
  if (result.success) {
    return result.data;
  }
  const lines = result.error.issues.map(
    (issue) => `  ${issue.path.join('.') || 'configuration'}: ${issue.message}`,
  );
  throw new ConfigurationError(`The configuration is not usable:\n${lines.join('\n')}`);
}

export const flag = z.enum(['true', 'false', '1', '0']).transform((text) => text === 'true' || text === '1');
export const port = z.coerce.number().int().min(0).max(65_535);
export const logLevel = z.enum(['debug', 'info', 'warn', 'error']).default('info');

/** 32 bytes as base64. */
export const key32 = z
  .string()
  .refine(
    (text) => Buffer.from(text, 'base64').length === 32,
    'must be 32 bytes in base64 (for example from `openssl rand -base64 32`)',
  )
  .transform((text) => Buffer.from(text, 'base64'));

export const databaseUrl = z.url({ protocol: /^postgres(ql)?$/ });

const loopbackHosts = new Set(['127.0.0.1', '::1', 'localhost']);
export function isLoopback(host: string): boolean {
  return loopbackHosts.has(host);
}
