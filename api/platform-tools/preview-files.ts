/** The files of a preview as an agent sends them: checked, and read into bytes. */
import * as z from 'zod';
import {
  clashingPath,
  indexName,
  maxPreviewPathLength,
  normalizePreviewPath,
} from '../../contract/preview-path.ts';
import type { PreviewFile } from '../../store/previews/previews.ts';
import { ToolFailure } from './tool.ts';

const sentFile = z
  .strictObject({
    // Ends the check of the other files, too: none of them has a longer path.
    path: z
      .string()
      .max(maxPreviewPathLength, `must have ${maxPreviewPathLength} characters at most`)
      .describe(
        `Relative, such as "assets/app.js", with up to ${maxPreviewPathLength} characters; "index.html" is what a folder shows, and its extension decides how a browser takes a file`,
      ),
    text: z.string().optional().describe('The content, as text that is stored in UTF-8'),
    base64: z.string().optional().describe('The content in base64, in place of the text'),
  })
  .superRefine(({ path, text, base64 }, context) => {
    const add = (field: string, message: string) =>
      context.addIssue({ code: 'custom', path: [field], message });
    const { problem } = normalizePreviewPath(path);
    if (problem !== null) {
      add('path', problem);
    }
    if ((text === undefined) === (base64 === undefined)) {
      context.addIssue({ code: 'custom', message: 'must have either text or base64' });
    }
    if (text?.isWellFormed() === false) {
      add('text', 'must be valid Unicode; send other bytes in base64');
    }
    if (base64 !== undefined && Buffer.from(base64, 'base64').toString('base64') !== base64) {
      add('base64', 'must be base64 of the standard alphabet, padded and without line breaks');
    }
  });
type SentFile = z.output<typeof sentFile>;

/** How many there may be, and of what size, is a setting. */
export const sentFiles = z
  .array(sentFile)
  .min(1)
  .superRefine((files, context) => {
    const paths = files.flatMap(({ path }) => normalizePreviewPath(path).path ?? []);
    const clash = paths.length < files.length ? null : clashingPath(paths);
    if (clash !== null) {
      context.addIssue({ code: 'custom', path: [clash.index, 'path'], message: clash.problem });
    }
  });

/** By their names in the configuration (config/limits.ts, config/fixed-limits.ts). */
export interface FileLimits {
  LIMIT_PREVIEW_FILES: number;
  LIMIT_PREVIEW_FILE_BYTES: number;
  LIMIT_PREVIEW_BYTES: number;
}

/** Throws ToolFailure that names the file, or the setting, for more than the limits allow. */
export function readFiles(sent: readonly SentFile[], limits: FileLimits): PreviewFile[] {
  const refuse = (message: string) => new ToolFailure('validation_failed', message);
  if (sent.length > limits.LIMIT_PREVIEW_FILES) {
    throw refuse(`files: has ${sent.length} files; a preview has ${limits.LIMIT_PREVIEW_FILES} at most`);
  }
  const files = sent.map(({ path, text, base64 }) => ({
    path: normalizePreviewPath(path).path ?? path,
    bytes: text === undefined ? Buffer.from(base64 ?? '', 'base64') : Buffer.from(text),
  }));
  let total = 0;
  for (const [index, { bytes }] of files.entries()) {
    if (bytes.length > limits.LIMIT_PREVIEW_FILE_BYTES) {
      const most = limits.LIMIT_PREVIEW_FILE_BYTES;
      throw refuse(`files.${index}: has ${bytes.length} bytes; a file of a preview has ${most} at most`);
    }
    total += bytes.length;
  }
  if (total > limits.LIMIT_PREVIEW_BYTES) {
    throw refuse(`files: have ${total} bytes; those of a preview have ${limits.LIMIT_PREVIEW_BYTES} at most`);
  }
  if (!files.some(({ path }) => path === indexName)) {
    throw refuse(`files: must have "${indexName}", which is what people see first`);
  }
  return files;
}
