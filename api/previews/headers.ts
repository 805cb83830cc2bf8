/**
 * What a browser may do with a preview: run its own scripts, in an origin that is nobody's, with files of
 * this preview alone. Pure.
 */

/**
 * Every feature that a page could ask the person's device or browser for. Browsers know some of them on
 * some systems only (such as `web-share`), and elsewhere say in their console that they do not: it is
 * denied where it is known.
 */
const deniedFeatures = [
  'accelerometer',
  'autoplay',
  'bluetooth',
  'browsing-topics',
  'camera',
  'clipboard-read',
  'clipboard-write',
  'display-capture',
  'encrypted-media',
  'fullscreen',
  'gamepad',
  'geolocation',
  'gyroscope',
  'hid',
  'identity-credentials-get',
  'idle-detection',
  'local-fonts',
  'magnetometer',
  'microphone',
  'midi',
  'otp-credentials',
  'payment',
  'picture-in-picture',
  'publickey-credentials-create',
  'publickey-credentials-get',
  'screen-wake-lock',
  'serial',
  'storage-access',
  'usb',
  'web-share',
  'window-management',
  'xr-spatial-tracking',
];

/** Of every answer at a preview's host. */
export const commonPreviewHeaders: Readonly<Record<string, string>> = {
  'X-Content-Type-Options': 'nosniff',
  'Cache-Control': 'no-store',
  'Referrer-Policy': 'no-referrer',
  'X-Frame-Options': 'DENY',
  'X-Robots-Tag': 'noindex, nofollow, noarchive',
  'X-DNS-Prefetch-Control': 'off',
  'Cross-Origin-Opener-Policy': 'same-origin',
  'Origin-Agent-Cluster': '?1',
  'Permissions-Policy': deniedFeatures.map((name) => `${name}=()`).join(', '),
};

/** Of the platform's own pages there, which tell why there is no preview. */
export const noticePolicy =
  "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; sandbox";

/**
 * Of the page that asks again until the service is there. HTML lets a sandboxed page reload itself with
 * `allow-scripts` only, though not every browser insists; it has no script, and no source of any.
 */
export const waitingPolicy = `${noticePolicy} allow-scripts`;

/**
 * Of the files. `origin` is the preview's own: a sandboxed page has an opaque origin, so its address is named
 * in place of `'self'`. Its scripts are the agent's wherever they are written, so inline ones and `eval` add
 * nothing to what they can do.
 */
export const previewPolicy = (origin: string): string =>
  policyOf(origin, { sandbox: 'allow-scripts', connect: origin, form: "'none'", base: "'none'" });

/**
 * Of a service, as above, and with what a page needs of its server: it posts forms to it, and opens
 * WebSockets. Both are named for this host alone, by their own schemes.
 */
export function servicePolicy(origin: string): string {
  const connect = `${origin} ${origin.replace(/^http/, 'ws')}`;
  return policyOf(origin, { sandbox: 'allow-scripts allow-forms', connect, form: origin, base: origin });
}

interface PolicySources {
  sandbox: string;
  connect: string;
  form: string;
  base: string;
}

function policyOf(origin: string, { sandbox, connect, form, base }: PolicySources): string {
  return [
    `sandbox ${sandbox}`,
    "default-src 'none'",
    `script-src ${origin} blob: 'unsafe-inline' 'unsafe-eval'`,
    `style-src ${origin} 'unsafe-inline'`,
    `img-src ${origin} data: blob:`,
    `media-src ${origin} data: blob:`,
    `font-src ${origin} data:`,
    `connect-src ${connect} data: blob:`,
    'worker-src blob:',
    `form-action ${form}`,
    "frame-ancestors 'none'",
    `base-uri ${base}`,
  ].join('; ');
}

/**
 * A page with an opaque origin reads its own data, modules and fonts as one of another origin would. Only
 * such pages may, without cookies, and only where they know the preview's name.
 */
export const fileHeaders: Readonly<Record<string, string>> = {
  'Access-Control-Allow-Origin': 'null',
  'Cross-Origin-Resource-Policy': 'cross-origin',
};

/** Of the platform's answers at a service's preview as well, so that its pages read what went wrong. */
export const serviceHeaders: Readonly<Record<string, string>> = {
  ...fileHeaders,
  'Access-Control-Expose-Headers': '*',
};
