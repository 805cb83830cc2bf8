import { expect, it } from '@jest/globals';
import { uuid } from '../../../contract/names.ts';

it('knows one thing by one id, however it is written', () => {
  const id = '0a1b2c3d-4e5f-4a6b-8c7d-9e0f1a2b3c4d';
  expect(uuid.parse(id.toUpperCase())).toBe(id);
  expect(uuid.safeParse(`${id} `).success).toBe(false);
});
