/** The pgvector that the set-up of the tests installed. */
import { existsSync, readFileSync } from 'node:fs';

const list = '.cache/pgvector.json';
/** Of its library and its description; null where it could not be had. */
export const pgvectorDirectories: { library: string; share: string } | null = existsSync(list)
  ? JSON.parse(readFileSync(list, 'utf8'))
  : null;

/**
 * With these, `create extension vector` works in a database of the server; without it
 * there is none, as in most.
 */
export const pgvectorSettings: Record<string, string> =
  pgvectorDirectories === null
    ? {}
    : {
        extension_control_path: `$system:${pgvectorDirectories.share}`,
        dynamic_library_path: `$libdir:${pgvectorDirectories.library}`,
      };
