/**
 * Tries, from inside a connected sandbox, to reach what no sandbox may reach, while a listener on
 * this machine waits for it.
 */
import { createSocket, type Socket } from 'node:dgram';
import { once } from 'node:events';
import { createServer, type Server } from 'node:net';
import { userModeAddresses } from './host/network-script.ts';
import { ownNetworks } from './host/own-networks.ts';

/** One address of each range that must have no route. */
const unroutable = ['169.254.169.254', '10.0.0.1', '172.16.0.1', '192.168.0.1', '100.64.0.1', '10.0.2.50'];
const ssdp = { host: '239.255.255.250', port: 1900 };
const mdns = { host: '224.0.0.251', port: 5353 };
const broadcast = ['255.255.255.255', '10.0.2.255'];
/** Ports of the resolver besides DNS. */
const otherPorts = [22, 80, 443];
const waitMs = 1000;

interface Place {
  host: string;
  port: number;
}

interface Attempts {
  /** No connection may be accepted. */
  silent: Place[];
  /** No connection may even be refused. */
  unanswered: Place[];
  /** There must be no route. */
  unroutable: Place[];
  /** Discovery queries; sent normally, and bound to a device, which bypasses routes. No answer may arrive. */
  asked: (Place & { message: 'ssdp' | 'mdns' })[];
}

export interface Canary {
  /** A program for Node that exits with 0 when it reached nothing. */
  script: string;
  /** What arrived here, whatever the program reports. */
  heard(): boolean;
  close(): void;
}

export async function openCanary(): Promise<Canary> {
  let heard = false;
  const hear = () => {
    heard = true;
  };
  const server = createServer((socket) => {
    hear();
    socket.destroy();
  });
  server.listen(0, '0.0.0.0');
  await once(server, 'listening');
  const port = portOf(server);
  const datagrams = await listenForMany(port, hear);
  return {
    script: program(port),
    heard: () => heard,
    close() {
      server.close();
      datagrams.close();
    },
  };
}

const portOf = (server: Server): number => {
  const address = server.address();
  return typeof address === 'object' && address !== null ? address.port : 0;
};

/** Receives what is sent to a port of this machine, also by multicast on any of its networks. */
async function listenForMany(port: number, hear: () => void): Promise<Socket> {
  const socket = createSocket({ type: 'udp4', reuseAddr: true });
  socket.on('message', hear);
  socket.bind(port, '0.0.0.0');
  await once(socket, 'listening');
  for (const { address } of ownNetworks()) {
    for (const { host: group } of [ssdp, mdns]) {
      try {
        socket.addMembership(group, address);
      } catch {
        // A network without multicast.
      }
    }
  }
  return socket;
}

/** `port` is where this machine listens. */
function attempts(port: number): Attempts {
  const own = ownNetworks();
  const users = [
    '127.0.0.1',
    userModeAddresses.gateway,
    userModeAddresses.router,
    userModeAddresses.resolver,
  ];
  const machine = [...users, ...own.map(({ address }) => address)].map((host) => ({ host, port }));
  const everybody = [...broadcast, ...own.map((each) => each.broadcast)];
  const withSsdp = [ssdp, ...[ssdp.host, ...everybody].map((host) => ({ host, port })), ...machine];
  const searched = [...withSsdp, ...everybody.map((host) => ({ host, port: ssdp.port }))];
  return {
    silent: machine,
    unanswered: otherPorts.map((each) => ({ host: userModeAddresses.resolver, port: each })),
    unroutable: unroutable.map((host) => ({ host, port: 80 })),
    asked: [
      ...searched.map((place) => ({ ...place, message: 'ssdp' as const })),
      ...[mdns, { host: mdns.host, port }].map((place) => ({ ...place, message: 'mdns' as const })),
    ],
  };
}

/** The queries: for every device, and for every service type (RFC 6763, 9), with one question. */
const messages = {
  ssdp: Buffer.from(
    'M-SEARCH * HTTP/1.1\r\nHOST: 239.255.255.250:1900\r\nMAN: "ssdp:discover"\r\nMX: 1\r\nST: ssdp:all\r\n\r\n',
  ).toString('base64'),
  mdns: Buffer.concat([
    Buffer.from([0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0]),
    ...['_services', '_dns-sd', '_udp', 'local', ''].map((label) =>
      Buffer.from([label.length, ...Buffer.from(label)]),
    ),
    Buffer.from([0, 12, 0, 1]),
  ]).toString('base64'),
};

/**
 * Exits with the number of attempts with an unexpected result, or with 1 as soon as one of them is
 * answered. Binding one of its own addresses selects the device: multicast and broadcast leave
 * there, whatever the routes.
 */
function program(port: number): string {
  return `const net = require('node:net'), dgram = require('node:dgram'), os = require('node:os');
    const { silent, unanswered, unroutable, asked } = ${JSON.stringify(attempts(port))};
    const messages = ${JSON.stringify(messages)};
    let routes = unroutable.length;
    const reached = () => process.exit(1);
    for (const to of silent) net.connect(to).on('connect', reached).on('error', () => {});
    for (const to of unanswered) net.connect(to).on('connect', reached).on('error', ({ code }) => code === 'ECONNREFUSED' && reached());
    for (const to of unroutable) net.connect(to).on('connect', reached).on('error', ({ code }) => {
      routes -= ['EHOSTUNREACH', 'ENETUNREACH'].includes(code) ? 1 : 0;
    });
    const address = os.networkInterfaces().eth0?.[0]?.address;
    for (const device of new Set([undefined, address])) {
      const socket = dgram.createSocket('udp4').on('message', reached).on('error', () => {});
      socket.bind(0, device, () => {
        socket.setBroadcast(true);
        socket.setMulticastTTL(8);
        if (device !== undefined) socket.setMulticastInterface(device);
        for (const { host, port, message } of asked) socket.send(Buffer.from(messages[message], 'base64'), port, host, () => {});
      });
    }
    setTimeout(() => process.exit(routes), ${waitMs});`;
}
