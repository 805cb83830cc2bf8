/** Environment of a worker whose sessions run as containers of Docker or Podman. */
import { isIPv4 } from 'node:net';
import * as z from 'zod';
import { productSlug } from '../contract/product-name.ts';

const scheme = 'unix://';
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
  DOCKER_HOST: z
    .string()
    .regex(/^unix:\/\/\/[^\0]*$/, 'must be a socket such as unix:///run/podman/podman.sock')
    .default(`${scheme}/var/run/docker.sock`)
    .describe("the engine's socket on this machine; access to it is root there"),
  CONTAINER_INSTALLATION: name
    .default(productSlug)
    .describe('tells platforms on one engine apart, in names and labels of what they create'),
  CONTAINER_DNS: addresses.describe(
    'name servers of containers with `internet`; a private one is opened to them',
  ),
} as const;

const containerEngineConfig = z.object(containerEngineFields);
export type ContainerEngineConfig = z.infer<typeof containerEngineConfig>;

export const engineSocket = ({ DOCKER_HOST }: Pick<ContainerEngineConfig, 'DOCKER_HOST'>): string =>
  DOCKER_HOST.slice(scheme.length);

/** Names of the networks of an installation's containers, each of which is created when it is missing. */
export const engineNetworks = ({
  CONTAINER_INSTALLATION: installation,
}: Pick<ContainerEngineConfig, 'CONTAINER_INSTALLATION'>) => ({
  /** Where sidecars reach the API and the worker reaches them; it has no route out. */
  platform: `${installation}-sidecars`,
  /** Of containers with `internet`. */
  internet: `${installation}-internet`,
});
