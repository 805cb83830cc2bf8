/** Environment of a worker whose sessions run as containers of Docker or Podman. */
import { isIPv4 } from 'node:net';
import * as z from 'zod';

const defaultSocket = '/var/run/docker.sock';
const socketPath = z
  .string()
  .regex(/^\/[^\0]*$/, 'must be the path of a socket, such as /var/run/docker.sock');
const name = z
  .string()
  .regex(/^[a-z0-9][a-z0-9-]{0,39}$/, 'must be up to 40 lowercase letters, digits or hyphens');

const addresses = z
  .string()
  .default('1.1.1.1,8.8.8.8')
  .transform((text) =>
    text
      .split(',')
      .map((address) => address.trim())
      .filter((address) => address !== ''),
  )
  .refine((list) => list.length > 0 && list.every(isIPv4), 'must be IPv4 addresses such as 1.1.1.1,8.8.8.8');

export const containerEngineFields = {
  /** The engine's socket. Access to it is root on that machine. */
  CONTAINER_SOCKET: socketPath.optional(),
  /** Read as the engine's own clients do; must be a socket on this machine. */
  DOCKER_HOST: z
    .string()
    .regex(
      /^unix:\/\/\//,
      'must be a socket such as unix:///run/podman/podman.sock, or name it in CONTAINER_SOCKET',
    )
    .optional(),
  /** Distinguishes several platforms on one engine: part of the names and labels of everything they create. */
  CONTAINER_INSTALLATION: name.default('agent-platform'),
  /** Where sidecars reach the API and the worker reaches them. Created without a route out when missing. */
  CONTAINER_PLATFORM_NETWORK: name.default('agent-platform-sidecars'),
  /** Outbound network of containers with `internet`. Created when missing. */
  CONTAINER_INTERNET_NETWORK: name.default('agent-platform-internet'),
  /** Resolvers of containers with `internet`; a private one is opened to them, and nothing else at its network. */
  CONTAINER_DNS: addresses,
} as const;

const containerEngineConfig = z.object(containerEngineFields);
export type ContainerEngineConfig = z.infer<typeof containerEngineConfig>;

export function engineSocket({ CONTAINER_SOCKET, DOCKER_HOST }: ContainerEngineConfig): string {
  return CONTAINER_SOCKET ?? DOCKER_HOST?.slice('unix://'.length) ?? defaultSocket;
}
