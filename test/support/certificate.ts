import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** A certificate for an IP address and `localhost` that is its own authority, and its key; both PEM. */
export function makeCertificate(address: string): { key: string; certificate: string } {
  const directory = mkdtempSync(join(tmpdir(), 'certificate-'));
  const [keyFile, certificateFile] = [join(directory, 'key.pem'), join(directory, 'certificate.pem')];
  try {
    const curve = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes'];
    const names = ['-subj', '/CN=identity provider', '-addext', `subjectAltName=IP:${address},DNS:localhost`];
    const files = ['-keyout', keyFile, '-out', certificateFile];
    execFileSync('openssl', ['req', '-x509', '-days', '7', ...curve, ...names, ...files], { stdio: 'pipe' });
    return { key: readFileSync(keyFile, 'utf8'), certificate: readFileSync(certificateFile, 'utf8') };
  } finally {
    rmSync(directory, { recursive: true });
  }
}
