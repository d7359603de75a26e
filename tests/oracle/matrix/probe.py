# SPDX-License-Identifier: Apache-2.0
# Registers of mma, ldmatrix and movmatrix in every lane, on numbers that all sums hold exactly. usage: probe.py LIBCUDA; h200.txt is what a real GPU says.
import ctypes as C,sys
u=C.CDLL(sys.argv[1]);n=[0]
b=lambda w:''.join(w)
t=''
o=0
def S(r):
 global t,o
 for x in r.split():
  t+='st.global.b32 [q+%d],%s;'%(4*o,x);o+=1
R='{r0,r1,r2,r3},{r4,r5},{z,z,z,z};'
def M(s,ty,pre):
 global t
 A='{r0,r1,r2,r3},{r4,r5}'
 for i in range(6): t+=pre[0]%(i,i)+pre[1]%(i,i) if pre else 'mov.b32 r%d,w%d;'%(i,i)
 t+='mma.sync.aligned.%s.row.col.%s {d0,d1,d2,d3},%s,{z,z,z,z};'%(s,ty,A);S('d0 d1 d2 d3')
m=lambda a,c:('and.b32 r%d,w%d,'+a+';','or.b32 r%d,r%d,'+c+';')
M('m16n8k16','f32.f16.f16.f32',m('0x84008400','0x38003800'))
M('m16n8k16','f32.bf16.bf16.f32',m('0x80808080','0x3f003f00'))
M('m16n8k8','f32.tf32.tf32.f32',m('0x80800000','0x3f000000'))
M('m16n8k32','s32.s8.u8.s32',0)
for x in('','.trans'):
 t+='ldmatrix.sync.aligned.m8n8.x4%s.shared.b16 {d0,d1,d2,d3},[s];'%x;S('d0 d1 d2 d3')
t+='movmatrix.sync.aligned.m8n8.trans.b16 d0,w0;cvt.rn.f64.s32 f0,w1;cvt.rn.f64.s16 f1,w2;mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {g0,g1},{f0},{f1},{f0,f1};mov.b64 {d1,d2},g0;mov.b64 {d3,r0},g1;';S('d0 d1 d2 d3 r0')
N=o
h='.version 8.0\n.target sm_80\n.address_size 64\n.visible .entry k(.param .u64 p){.shared .align 16 .b8 B[512];.reg .b32 r<8>,w<6>,d<4>,z,s,l;.reg .b64 q;.reg .f64 f<2>,g<2>;ld.param.u64 q,[p];mov.u32 l,%tid.x;mov.b32 z,0;mad.wide.u32 q,l,'+str(4*N)+',q;mov.u32 s,B;mad.lo.u32 s,l,16,s;add.u32 w0,l,1;'
for i in range(6): h+='mad.lo.u32 w%d,w%d,747796405,%d;xor.b32 w%d,w%d,%d;shr.u32 z,w%d,15;xor.b32 w%d,w%d,z;'%(i,max(i-1,0),2891336453+i-2**31,i,i,i*77777777,i,i,i)
h+='mov.b32 z,0;st.shared.v4.b32 [s],{w0,w1,w2,w3};bar.sync 0;'
x=(h+t+'ret;}').encode()
c=C.c_void_p();D=C.c_ulonglong();f=C.c_void_p()
def K(r): assert r==0,r
K(u.cuInit(0));K(u.cuDevicePrimaryCtxRetain(C.byref(c),0));K(u.cuCtxSetCurrent(c));K(u.cuModuleLoadData(C.byref(c),x));K(u.cuModuleGetFunction(C.byref(f),c,b'k'));K(u.cuMemAlloc_v2(C.byref(D),128*N))
K(u.cuLaunchKernel(f,1,1,1,32,1,1,0,None,(C.c_void_p*1)(C.addressof(D)),None))
r=(C.c_uint*(32*N))();K(u.cuMemcpyDtoH_v2(r,D,128*N))
for i in range(N): print('%d'%i,*['%x'%r[l*N+i] for l in range(32)])
