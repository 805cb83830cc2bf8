/** Tries, from inside a connected sandbox, to reach what no sandbox may reach, with somebody on this machine who listens for it. */
import { createSocket, type Socket } from 'node:dgram';
import { once } from 'node:events';
import { createServer, type Server } from 'node:net';
import { network } from './host/network-script.ts';
import { ownNetworks } from './host/own-networks.ts';

/** One address of each range that must have no route. */
const unroutable = ['169.254.169.254', '10.0.0.1', '172.16.0.1', '192.168.0.1', '100.64.0.1', '10.0.2.50'];
/** SSDP, mDNS, and whoever is near. */
const multicast = ['239.255.255.250', '224.0.0.251'];
const broadcast = ['255.255.255.255', '10.0.2.255'];
/** Of the resolver, beside the one of names. */
const otherPorts = [22, 80, 443];
const waitMs = 1000;

export interface Canary {
  /** A program for Node that exits with 0 when it reached nothing. */
  script: string;
  /** What arrived here, whatever the program says. */
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

/** Hears what is sent to a port of this machine, also by multicast on any of its networks. */
async function listenForMany(port: number, hear: () => void): Promise<Socket> {
  const socket = createSocket({ type: 'udp4', reuseAddr: true });
  socket.on('message', hear);
  socket.bind(port, '0.0.0.0');
  await once(socket, 'listening');
  for (const { address } of ownNetworks()) {
    for (const group of multicast) {
      try {
        socket.addMembership(group, address);
      } catch {
        // A network without multicast.
      }
    }
  }
  return socket;
}

/** Exits with the number of attempts that ended in another way than they must, or with 1 as soon as one of them reached somebody. */
function program(port: number): string {
  const own = ownNetworks();
  const silent = [
    '127.0.0.1',
    network.gateway,
    network.router,
    network.resolver,
    ...own.map(({ address }) => address),
  ];
  const places = {
    silent: silent.map((host) => ({ host, port })),
    resolver: otherPorts.map((each) => ({ host: network.resolver, port: each })),
    unroutable: unroutable.map((host) => ({ host, port: 80 })),
    datagrams: [...multicast, ...broadcast, ...silent, ...own.map((each) => each.broadcast)],
  };
  return `const net = require('node:net'), dgram = require('node:dgram'), os = require('node:os');
    const { silent, resolver, unroutable, datagrams } = ${JSON.stringify(places)};
    let routes = unroutable.length;
    const reached = () => process.exit(1);
    for (const to of silent) net.connect(to).on('connect', reached).on('error', () => {});
    for (const to of resolver) net.connect(to).on('connect', reached).on('error', ({ code }) => code === 'ECONNREFUSED' && reached());
    for (const to of unroutable) net.connect(to).on('connect', reached).on('error', ({ code }) => {
      routes -= ['EHOSTUNREACH', 'ENETUNREACH'].includes(code) ? 1 : 0;
    });
    const address = os.networkInterfaces().eth0?.[0]?.address ?? null;
    for (const device of new Set([null, address])) {
      const socket = dgram.createSocket('udp4').on('message', reached).on('error', () => {});
      socket.bind(0, () => {
        socket.setBroadcast(true);
        socket.setMulticastTTL(8);
        if (device !== null) socket.setMulticastInterface(device);
        for (const host of datagrams) for (const port of [${port}, 1900]) socket.send(search, port, host, () => {});
      });
    }
    const search = 'M-SEARCH * HTTP/1.1\\r\\nHOST: 239.255.255.250:1900\\r\\nMAN: "ssdp:discover"\\r\\nMX: 1\\r\\nST: ssdp:all\\r\\n\\r\\n';
    setTimeout(() => process.exit(routes), ${waitMs});`;
}
