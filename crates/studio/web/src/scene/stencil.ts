// The ghost of another motion is drawn only beside the figure, never over it: figures mark their pixels, ghosts leave marked ones out.

import { AlwaysStencilFunc, NotEqualStencilFunc, ReplaceStencilOp, type Material } from "three";

const FIGURE = 1;

export function markPixels(material: Material): void {
  material.stencilWrite = true;
  material.stencilRef = FIGURE;
  material.stencilFunc = AlwaysStencilFunc;
  material.stencilZPass = ReplaceStencilOp;
}

export function avoidMarkedPixels(material: Material): void {
  material.stencilWrite = true;
  material.stencilRef = FIGURE;
  material.stencilFunc = NotEqualStencilFunc;
}
