/** Bounds on what a registry may cost; each refusal names the bound. Tests pass smaller ones. */
export interface ImageLimits {
  /** From the first connection to the last byte of the last layer. */
  timeMs: number;
  redirects: number;
  /** Max depth of nested indexes, the manifest not counted. */
  indexDepth: number;
  layers: number;
  /** Max volumes that the configuration declares: each becomes a mount of every container. */
  volumes: number;
  /** Each image manifest, index and configuration. */
  documentBytes: number;
  tokenAnswerBytes: number;
  /** All layers that are read, compressed. */
  compressedBytes: number;
  /** All layers that are read, unpacked. */
  uncompressedBytes: number;
  /** Max unpacked bytes per compressed byte of a layer, beyond the first `ratioFreeBytes`. */
  ratio: number;
  ratioFreeBytes: number;
  /** The one file that is read. */
  fileBytes: number;
}

const mebibyte = 1024 * 1024;

export const defaultImageLimits: Readonly<ImageLimits> = {
  timeMs: 60_000,
  redirects: 5,
  indexDepth: 2,
  layers: 128,
  volumes: 32,
  documentBytes: 4 * mebibyte,
  tokenAnswerBytes: 256 * 1024,
  compressedBytes: 2048 * mebibyte,
  uncompressedBytes: 8192 * mebibyte,
  ratio: 200,
  ratioFreeBytes: 64 * mebibyte,
  fileBytes: 256 * 1024,
};
