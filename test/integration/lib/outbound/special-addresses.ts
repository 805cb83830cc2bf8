/** The addresses of the test's network namespace. */

export const publicAddress = '93.184.216.34';

/** One of every special range that an interface can have; `127.0.0.1` and `::1` are there anyway. */
const added = [
  '10.0.0.1',
  '172.16.0.1',
  '192.168.0.1',
  '100.64.0.1',
  '100.100.100.200',
  '169.254.169.254',
  '168.63.129.16',
  '192.0.0.192',
  '192.0.2.1',
  '192.88.99.1',
  '198.18.0.1',
  '198.51.100.1',
  '203.0.113.1',
  '240.0.0.1',
  'fd00::1',
  'fd00:ec2::254',
  'fd20:ce::254',
  '2002:7f00:1::1',
  '2001:db8::1',
];

export const toAdd = [publicAddress, ...added];
export const special = ['127.0.0.1', '127.8.8.8', '::1', ...added];
/** Where something listens that counts connections. */
export const listening = special;
/** No interface has these; connecting to the first two leads to this machine. */
export const unbound = ['0.0.0.0', '::', '255.255.255.255', '224.0.0.1', 'fe80::1', 'ff02::1'];
