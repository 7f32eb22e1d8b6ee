/** Absolute path of the built page: `index.html` and the files it asks for. It is there after a build of this package. */
export const distDir: string;
