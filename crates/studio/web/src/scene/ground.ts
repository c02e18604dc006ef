// Ground: shadows, and a grid of metres that fades with the distance.

import { Color, Mesh, MeshStandardMaterial, PlaneGeometry } from "three";
import type { SceneColors } from "./theme";

const SIZE_M = 120;

export class Ground {
  readonly mesh: Mesh;
  private readonly uniforms = {
    gridColor: { value: new Color() },
    strongColor: { value: new Color() },
    fadeColor: { value: new Color() },
    centerXy: { value: [0, 0] as [number, number] },
  };
  private readonly material: MeshStandardMaterial;

  constructor() {
    this.material = new MeshStandardMaterial({ roughness: 1, metalness: 0 });
    this.material.onBeforeCompile = (shader) => {
      Object.assign(shader.uniforms, this.uniforms);
      shader.vertexShader = shader.vertexShader
        .replace("#include <common>", "#include <common>\nvarying vec2 planePlace;")
        .replace("#include <begin_vertex>", "#include <begin_vertex>\nplanePlace = (modelMatrix * vec4(position, 1.0)).zx;");
      shader.fragmentShader = shader.fragmentShader
        .replace(
          "#include <common>",
          `#include <common>
          varying vec2 planePlace;
          uniform vec3 gridColor; uniform vec3 strongColor; uniform vec3 fadeColor; uniform vec2 centerXy;
          float gridLine(vec2 p, float width) {
            // As wide in pixels everywhere, and fainter where lines come close to each other.
            vec2 pixel = fwidth(p);
            vec2 line = 1.0 - smoothstep(vec2(0.0), pixel * width, abs(fract(p - 0.5) - 0.5));
            vec2 apart = clamp(vec2(0.25) / pixel, 0.0, 1.0);
            return max(line.x * apart.x, line.y * apart.y);
          }`,
        )
        .replace(
          "#include <opaque_fragment>",
          `
          float away = length(planePlace - centerXy);
          float near = 1.0 - smoothstep(4.0, 16.0, away);
          outgoingLight = mix(outgoingLight, gridColor * (0.3 + 0.7 * outgoingLight / max(diffuseColor.rgb, vec3(0.01))), gridLine(planePlace * 4.0, 1.0) * 0.8 * (1.0 - smoothstep(2.0, 7.0, away)));
          outgoingLight = mix(outgoingLight, strongColor * (0.3 + 0.7 * outgoingLight / max(diffuseColor.rgb, vec3(0.01))), gridLine(planePlace, 1.4) * near);
          #include <opaque_fragment>`,
        )
        // After tone mapping, so that the far ground has exactly the colour behind it.
        .replace(
          "#include <colorspace_fragment>",
          `gl_FragColor.rgb = mix(gl_FragColor.rgb, fadeColor, smoothstep(7.0, 24.0, length(planePlace - centerXy)));
          #include <colorspace_fragment>`,
        );
    };
    this.mesh = new Mesh(new PlaneGeometry(SIZE_M, SIZE_M), this.material);
    this.mesh.receiveShadow = true;
    this.mesh.position.z = -0.001;
  }

  center(x: number, y: number): void {
    this.mesh.position.x = x;
    this.mesh.position.y = y;
    this.uniforms.centerXy.value = [x, y];
  }

  paint(c: SceneColors): void {
    this.material.color.set(c.ground);
    this.uniforms.gridColor.value.set(c.grid);
    this.uniforms.strongColor.value.set(c.gridStrong);
    this.uniforms.fadeColor.value.set(c.background);
  }
}
