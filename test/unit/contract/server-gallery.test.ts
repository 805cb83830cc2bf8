import { describe, expect, it } from '@jest/globals';
import { isExact, serverGallery } from '../../../contract/server-gallery.ts';

describe('the gallery of MCP servers', () => {
  it('has six to eight, each of a name of its own', () => {
    expect(serverGallery.length).toBeGreaterThanOrEqual(6);
    expect(serverGallery.length).toBeLessThanOrEqual(8);
    expect(new Set(serverGallery.map(({ input }) => input.name)).size).toBe(serverGallery.length);
  });

  it.each(serverGallery.map((server) => [server.input.name, server] as const))(
    '%s runs one version, and gates tools that it has',
    (_name, server) => {
      expect(isExact(server)).toBe(true);
      expect(server.licence).not.toBe('');
      const gated = Object.keys(server.input.manifest?.tool_scopes ?? {});
      expect(gated.filter((tool) => !server.tools.includes(tool))).toEqual([]);
    },
  );

  it('gates whatever changes something, or fetches what it is told to', () => {
    const open = serverGallery.flatMap(({ tools, input }) =>
      tools.filter((tool) => !Object.hasOwn(input.manifest?.tool_scopes ?? {}, tool)),
    );
    expect(
      open.filter((tool) =>
        /(^|_)(write|edit|move|create|add|delete|commit|reset|checkout|fetch|gzip)(_|-|$)/.test(tool),
      ),
    ).toEqual([]);
  });
});
