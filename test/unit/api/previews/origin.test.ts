import { describe, expect, it } from '@jest/globals';
import { contentTypeOf } from '../../../../api/previews/content-type.ts';
import { commonPreviewHeaders, noticePolicy, previewPolicy } from '../../../../api/previews/headers.ts';
import { createLabel, labelSha256, previewHostOf, previewUrl } from '../../../../api/previews/origin.ts';

const label = createLabel();
const domain = 'previews.example.net';

describe('the label of an opened preview', () => {
  it('is of 160 random bits, and stored as a hash', () => {
    const labels = new Set(Array.from({ length: 1000 }, createLabel));
    expect(labels.size).toBe(1000);
    expect([...labels].every((each) => /^[0-9a-f]{40}$/.test(each))).toBe(true);
    expect(labelSha256(label)).toHaveLength(32);
    expect(labelSha256(label).toString('hex')).not.toContain(label);
  });

  it.each([
    ['https://agents.example.com', domain, `https://${label}.${domain}/`],
    ['https://agents.example.com:8443', domain, `https://${label}.${domain}:8443/`],
    ['http://127.0.0.1:8080', 'localhost', `http://${label}.localhost:8080/`],
    ['http://[::1]:8080', 'localhost', `http://${label}.localhost:8080/`],
  ])('makes an address beside %s', (platform, below, url) => {
    expect(previewUrl(label, below, platform)).toBe(url);
  });
});

describe('a Host header', () => {
  it.each([
    [`${label}.${domain}`],
    [`${label}.${domain}:8443`],
    [`${label}.${domain}.`],
    [`${label.toUpperCase()}.Previews.Example.NET:80`],
  ])('is of a preview: %s', (host) => {
    expect(previewHostOf(host, domain)).toEqual({ label });
  });

  it.each([
    [`a.${domain}`],
    [`a.${label}.${domain}`],
    [`.${domain}`],
    [`${label}x.${domain}`],
    [`${label.slice(1)}.${domain}`],
    [`127.0.0.1.${domain}`],
  ])('is of no preview, and of nothing else: %s', (host) => {
    expect(previewHostOf(host, domain)).toEqual({ label: null });
  });

  it.each([
    [domain],
    ['agents.example.com'],
    [`${label}${domain}`],
    [`${label}.${domain}.example.com`],
    [`${label}.${domain}:80:80`],
    ['[::1]:8080'],
    [''],
  ])('is of the platform, or of nobody: %s', (host) => {
    expect(previewHostOf(host, domain)).toBeNull();
  });

  it('is of no preview where the platform has no domain for them', () => {
    expect(previewHostOf(`${label}.localhost`, null)).toBeNull();
  });
});

describe('what a browser is told', () => {
  const sources = (policy: string) =>
    new Map(policy.split('; ').map((part) => [part.split(' ')[0], part.split(' ').slice(1)]));

  it('lets scripts run in an opaque origin, with this preview as the only source', () => {
    const origin = `https://${label}.${domain}`;
    const policy = sources(previewPolicy(origin));
    expect(policy.get('sandbox')).toEqual(['allow-scripts']);
    expect(policy.get('default-src')).toEqual(["'none'"]);
    for (const name of ['form-action', 'frame-ancestors', 'base-uri']) {
      expect(policy.get(name)).toEqual(["'none'"]);
    }
    const allowed = new Set([...policy].filter(([name]) => name !== 'sandbox').flatMap(([, list]) => list));
    expect([...allowed].filter((source) => source.includes('.') || source.includes('*'))).toEqual([origin]);
  });

  it('lets nothing run in the platform’s own notices', () => {
    const policy = sources(noticePolicy);
    expect(policy.get('sandbox')).toEqual([]);
    expect(policy.get('default-src')).toEqual(["'none'"]);
    expect(policy.has('script-src')).toBe(false);
  });

  it('denies every feature that it names', () => {
    const features = commonPreviewHeaders['Permissions-Policy']?.split(', ') ?? [];
    expect(features.length).toBeGreaterThan(20);
    expect(features.every((feature) => /^[a-z-]+=\(\)$/.test(feature))).toBe(true);
    expect(features).toEqual(expect.arrayContaining(['camera=()', 'geolocation=()', 'clipboard-write=()']));
  });
});

describe('the type of a file', () => {
  it.each([
    ['index.html', 'text/html; charset=utf-8'],
    ['a/b.HTML', 'text/html; charset=utf-8'],
    ['app.js', 'text/javascript; charset=utf-8'],
    ['a.min.css', 'text/css; charset=utf-8'],
    ['p.svg', 'image/svg+xml'],
    ['README', 'application/octet-stream'],
    ['a.exe', 'application/octet-stream'],
    ['a.constructor', 'application/octet-stream'],
    ['a.html/b', 'application/octet-stream'],
  ])('of %s is %s', (path, type) => {
    expect(contentTypeOf(path)).toBe(type);
  });
});
