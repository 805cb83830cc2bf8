import { expect, it } from '@jest/globals';
import * as z from 'zod';
import { containerFields } from '../../../config/containers.ts';

const { ACP_IMAGES: images } = z.object(containerFields).shape;

it('ACP_IMAGES names an image for each preset', () => {
  expect(images.parse(undefined)).toEqual({});
  expect(images.parse('opencode=gatepost-acp-opencode, custom=r.test:5000/a/b:1@sha256:0,')).toEqual({
    opencode: 'gatepost-acp-opencode',
    custom: 'r.test:5000/a/b:1@sha256:0',
  });
});

it.each(['opencode', 'opencode=', 'gemini=a', 'claude=a,claude=b', 'claude=--privileged', '__proto__=a'])(
  'ACP_IMAGES refuses %s',
  (text) => expect(images.safeParse(text).success).toBe(false),
);
