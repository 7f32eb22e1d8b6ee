/** What is uploaded goes out as it is; a stream is read as fast as it is taken. */
export type UploadBody = Blob | ReadableStream<Uint8Array<ArrayBuffer>> | Uint8Array<ArrayBuffer>;
