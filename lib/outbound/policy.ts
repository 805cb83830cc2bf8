/** Which hosts the installation's operator trusts beyond those of the internet. */

export interface OutboundPolicy {
  /** By `host` of a URL: hosts that may have a private address, and whether they speak plain HTTP. */
  privateHosts: ReadonlyMap<string, 'https' | 'http'>;
  /** The setting that names these hosts, and whose it is; for error messages. */
  setting: string;
}

/** Whether plain HTTP is allowed for this host. */
export const allowsHttp = ({ privateHosts }: OutboundPolicy, { host }: URL): boolean =>
  privateHosts.get(host) === 'http';

/** Whether this host may have a private address. */
export const allowsPrivate = ({ privateHosts }: OutboundPolicy, { host }: URL): boolean =>
  privateHosts.has(host);
